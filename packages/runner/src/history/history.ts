import type {
  DailySpend,
  Isolation,
  JsonObject,
  LlmAnswer,
  Primitive,
  RecordedError,
  RunDetail,
  RunOrder,
  RunRecord,
  RunStatus,
  Spend,
  StepLog,
} from '@steward/contract'

/** What a run was started from: enough to run the same chain again after the files changed. */
export interface DefinitionSnapshot {
  version: string
  /** SHA-256 over everything that determines what the run does, including code. */
  hash: string
  body: JsonObject
}

export interface NewRun {
  id: string
  primitive: Primitive
  name: string
  definition: DefinitionSnapshot
  input: JsonObject
  startedAt: number
  parentId?: string
  idempotencyKey?: string
  /** Steps are counted from 0 here; records for people count from 1. */
  rerunOf?: { id: string; fromStep: number }
  /**
   * The step the run starts with; its input defaults to the last inherited output, otherwise to the
   * run's input.
   */
  firstStep: StepStart
  /**
   * Finished steps inherited from the run that this one repeats. Their spend stays with that run.
   */
  inherited?: FinishedStep[]
  /** The same for a pipeline with other steps than names: rows of `rerunOf` to copy. */
  copied?: readonly number[]
}

export interface StepStart {
  index: number
  /** Its position, if the pipeline has other steps than names. */
  path?: string
  action: string
  startedAt: number
  /** Omitted if it is the previous step's output, which is not stored twice. */
  input?: JsonObject
}

export interface FinishedStep {
  index: number
  path?: string
  action: string
  startedAt: number
  endedAt: number
  input?: JsonObject
  output: JsonObject
  spend: Spend
  isolation: Isolation | null
}

export interface StepDone {
  index: number
  endedAt: number
  outcome:
    | { output: JsonObject }
    | { error: RecordedError }
    /** A condition; its output is its input. */
    | { passed: boolean }
    /** A failure for which other steps run; their output follows when they have ended. */
    | { error: RecordedError; isHandled: true; output?: JsonObject }
  spend: Spend
  isolation: Isolation | null
  /** What its action printed and logged and is not stored yet. */
  logs?: readonly StepLog[]
  /** Attempts after the first one since it started. */
  retries?: number
}

/** What an action printed and logged since the last entries of its step were stored. */
export interface StepLogs {
  runId: string
  /** Counted from 0. */
  step: number
  logs: readonly StepLog[]
}

/** One commit of progress: a step ended, the next started, or the run is over. */
export interface Advance {
  runId: string
  done?: StepDone
  next?: StepStart
  /**
   * A completed run's output is omitted if it is that of the last step, which is not stored twice.
   */
  finished?: {
    status: 'completed' | 'failed'
    /** The condition that ended a completed run. */
    filtered?: string
    endedAt: number
    output?: JsonObject
    error?: RecordedError
  }
}

/** A paid model answer, kept so that a resumed step does not pay again. */
export interface ModelCall {
  runId: string
  step: number
  /**
   * Position among the step's calls; calls may be concurrent, so the hash decides and the ordinal
   * breaks ties.
   */
  ordinal: number
  requestHash: string
  answer: LlmAnswer
  at: number
}

export interface RunFilter {
  name?: string
  primitive?: Primitive
  status?: RunStatus
  parentId?: string | null
  /** Keyset pagination: runs older than this id. */
  before?: string
  /** In the name, the id or the error. */
  text?: string
  /** Only runs that started at or after this time (ms). */
  since?: number
  /** Newest first unless given. */
  order?: RunOrder
  /** Pagination of the other orders. */
  offset?: number
  limit?: number
}

export interface SpendFilter {
  /** Only calls made at or after this time (ms). */
  since?: number
  /** Only calls of this flow's runs and their children. */
  flow?: string
  /** Only calls of this run and its children. */
  runId?: string
}

/** A step of a pipeline with other steps than names, as its run recorded it. */
export interface StoredStep {
  index: number
  action: string
  /** `open` steps have to run again. */
  state: 'open' | 'completed' | 'passed' | 'filtered' | 'handled'
}

/** A run as needed for resuming: its stored values. */
export interface ResumableRun {
  record: RunRecord
  definition: DefinitionSnapshot
  input: JsonObject
  finished: FinishedStep[]
  /** The steps by path, if the pipeline has other steps than names; `finished` is empty then. */
  places: ReadonlyMap<string, StoredStep> | undefined
  /** The step that started and did not end, or that failed, with its input. */
  pending: { index: number; action: string; input: JsonObject } | undefined
  /**
   * Redaction removed a secret from a stored value, so that resuming would compute with the mask.
   */
  redacted: boolean
}

export type Begun = { created: true } | { created: false; run: RunRecord }

/** Every promise resolves only after its change is on disk. */
export interface RunHistory {
  /**
   * Starts a run, or finds the one with the same idempotency key. Same key with other input:
   * `run_conflict`.
   */
  begin(run: NewRun): Promise<Begun>
  advance(change: Advance): Promise<void>
  /** Stores what a step that is still running printed and logged. */
  recordLogs(logs: StepLogs): Promise<void>
  /** `onCounted` is called as soon as `spend` includes the call, which is before it is on disk. */
  recordCall(call: ModelCall, onCounted?: () => void): Promise<void>
  calls(runId: string, step: number): ModelCall[]
  /** The stored output of a step and its error, for computing with them. */
  recallStep(runId: string, index: number): { output?: JsonObject; error?: RecordedError }
  /**
   * Takes over an interrupted (or, with `failed`, a failed or cancelled) run; false if another
   * process was faster or it is alive. The retried step counts a new attempt.
   */
  claim(runId: string, from?: { failed: true }): Promise<boolean>
  /**
   * Cancels a stopped run and its children; false if it was over or another process has it. A run
   * of this process must be stopped first.
   */
  cancel(runId: string, endedAt: number): Promise<boolean>
  resumable(runId: string): ResumableRun | undefined
  /** A run for display: texts that look like secrets are masked too. */
  get(runId: string): RunDetail | undefined
  /** As `get`; a large run is masked where it delays no other work, if the history was opened so. */
  show(runId: string): Promise<RunDetail | undefined>
  /** A run for display without its steps and values. */
  record(runId: string): RunRecord | undefined
  /** A run as stored, for computing with its output. Must never be displayed. */
  getStored(runId: string): RunDetail | undefined
  /** Finds a run by `last`, its id, or its beginning or end; `ambiguous` if several runs match. */
  resolveId(reference: string): string | undefined
  list(filter?: RunFilter): RunRecord[]
  spend(filter: SpendFilter): Spend
  /**
   * Each flow's spend per UTC day since then (ms), oldest first; days without calls are omitted.
   */
  dailySpend(since: number): DailySpend[]
  close(): Promise<void>
}
