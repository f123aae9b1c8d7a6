/** A model call; assistants do not record how long it took. */
export interface CallActivity {
  id: string
  subagent: string | undefined
  model: string
  atMs: number
  /** With the tokens of the prompt cache. */
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  costUsd: number | undefined
}

/** A stretch of work in a session of an assistant or a hosted agent. */
export interface SessionActivity {
  assistant: string
  session: string
  project: string | undefined
  calls: CallActivity[]
}

interface StepActivity {
  index: number
  action: string
  startedMs: number
  endedMs: number
  error: ActivityError | undefined
  calls: CallActivity[]
}

export interface RunActivity {
  id: string
  /** The run that began it all; itself if none. */
  rootId: string
  parentId: string | undefined
  primitive: string
  name: string
  status: string
  startedMs: number
  endedMs: number
  error: ActivityError | undefined
  steps: StepActivity[]
}

export interface ActivityError {
  code: string
  message: string
}

/** Provided by the owners of runs and of the ledger. */
export interface Activity {
  /** Runs that ended after this time, the earliest first. */
  runsAfter: (afterMs: number) => Promise<RunActivity[]>
  /** Sessions with calls after this time; runs and observers have records of their own. */
  sessionsAfter: (afterMs: number) => Promise<SessionActivity[]>
}
