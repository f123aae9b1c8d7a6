import type { CallActivity, SessionActivity } from '@steward/assistants'

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
