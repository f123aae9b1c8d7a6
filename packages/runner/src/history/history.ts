import type {
  DailySpend,
  Isolation,
  JsonObject,
  LlmAnswer,
  Primitive,
  RecordedError,
  RunDetail,
  RunRecord,
  RunStatus,
  Spend,
} from '@steward/contract'

/** What a run was started from: enough to run the same chain again after the files changed. */
export interface DefinitionSnapshot {
  version: string
  /** SHA-256 over everything that decides what the run does, code included. */
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
  /** The step the run starts with; its input, unless given, is the last inherited output or else the run's input. */
  firstStep: StepStart
  /** Steps taken over, already finished, from the run that this one repeats. Their spend stays with that run. */
  inherited?: FinishedStep[]
}

export interface StepStart {
  index: number
  action: string
  startedAt: number
  /** Left out when it is the output of the step before, which is not stored twice. */
  input?: JsonObject
}

export interface FinishedStep {
  index: number
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
  outcome: { output: JsonObject } | { error: RecordedError }
  spend: Spend
  isolation: Isolation | null
}

/** One commit of progress: a step ended, the next began, or the run is over. */
export interface Advance {
  runId: string
  done?: StepDone
  next?: StepStart
  /** A completed run's output is left out when it is that of the last step, which is not stored twice. */
  finished?: {
    status: 'completed' | 'failed'
    endedAt: number
    output?: JsonObject
    error?: RecordedError
  }
}

/** A paid model answer, kept so that a resumed step does not pay again. */
export interface ModelCall {
  runId: string
  step: number
  /** Position among the step's calls; calls may be concurrent, so the hash decides and the ordinal breaks ties. */
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
  /** Keyset page: runs older than this id. */
  before?: string
  limit?: number
}

export interface SpendFilter {
  /** Only calls made at or after this time (ms). */
  since?: number
  /** Only calls of the runs of this flow and of their children. */
  flow?: string
  /** Only calls of this run and of those it started. */
  runId?: string
}

/** A run as its resumer needs it: what was stored, unredacted questions answered. */
export interface ResumableRun {
  record: RunRecord
  definition: DefinitionSnapshot
  input: JsonObject
  finished: FinishedStep[]
  /** The step that had begun and not ended, or that failed, with its input. */
  pending: { index: number; action: string; input: JsonObject } | undefined
  /** A stored value lost a secret to redaction, so continuing would compute with the mask. */
  redacted: boolean
}

export type Begun = { created: true } | { created: false; run: RunRecord }

/** Every promise resolves only after its change is on disk. */
export interface RunHistory {
  /** Starts a run, or finds the one that has the same idempotency key. Same key, other input: `run_conflict`. */
  begin(run: NewRun): Promise<Begun>
  advance(change: Advance): Promise<void>
  recordCall(call: ModelCall): Promise<void>
  calls(runId: string, step: number): ModelCall[]
  /**
   * Takes an interrupted (or, with `failed`, a failed or cancelled) run over for this process; false when someone
   * else was quicker or it is alive. The step to be tried again counts a new attempt.
   */
  claim(runId: string, from?: { failed: true }): Promise<boolean>
  /**
   * Ends a run that goes no further, and those it started, as cancelled; false when it was over or
   * another process has it. One of this process is to be stopped before.
   */
  cancel(runId: string, endedAt: number): Promise<boolean>
  resumable(runId: string): ResumableRun | undefined
  /** A run to be shown: secrets are masked by their form too. */
  get(runId: string): RunDetail | undefined
  /** A run as it is stored, for what computes with its output. Never to be shown. */
  getStored(runId: string): RunDetail | undefined
  /** Finds a run by `last`, its id, or the beginning or end of it; `ambiguous` if several runs fit. */
  resolveId(reference: string): string | undefined
  list(filter?: RunFilter): RunRecord[]
  spend(filter: SpendFilter): Spend
  /** What each flow came to on each UTC day since then (ms), oldest first; days without calls are left out. */
  dailySpend(since: number): DailySpend[]
  close(): Promise<void>
}
