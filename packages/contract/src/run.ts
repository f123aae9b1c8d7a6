import { z } from 'zod'
import { ISOLATIONS, LOG_LEVELS } from './action.v2.ts'
import { fields } from './json.ts'
import { PRIMITIVES } from './naming.ts'

/**
 * `interrupted`: its process died; `steward runs resume` continues it. `cancelled`: a person
 * stopped it; it is only continued by its id. `filtered`: a condition of its pipeline was not met.
 */
export const RUN_STATUSES = [
  'running',
  'completed',
  'filtered',
  'failed',
  'interrupted',
  'cancelled',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

const time = z.iso.datetime()

export const recordedError = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  field: z.string().optional(),
  /** Where an action threw it, with lines of its own code. */
  stack: z.string().optional(),
})
export type RecordedError = z.infer<typeof recordedError>

/** A line, or several, that an action printed or logged. */
export const stepLog = z.object({ at: time, level: z.enum(LOG_LEVELS), text: z.string() })
export type StepLog = z.infer<typeof stepLog>

/** Model usage of a step, run, flow or day. `cost` in USD; null if a price was unknown. */
export const spend = z.object({
  calls: z.int().nonnegative(),
  inputTokens: z.int().nonnegative(),
  outputTokens: z.int().nonnegative(),
  cost: z.number().nonnegative().nullable(),
  models: z.array(z.string()),
})
export type Spend = z.infer<typeof spend>

export const stepRecord = z.object({
  /** Counted from 1, as in `steward rerun --from`. */
  step: z.int().positive(),
  /**
   * Its position in a pipeline with other steps than names: `3`, `5.parallel[2].1`,
   * `6.each[18].1`, `3.onError.1`.
   */
  path: z.string().optional(),
  /** The action's name; `source` or `item` in a flow's run; `when …`, `parallel`, `each …`. */
  action: z.string(),
  status: z.enum(RUN_STATUSES),
  /** How often it was started; more than 1 after a resume. */
  attempts: z.int().positive(),
  input: fields.optional(),
  output: fields.optional(),
  startedAt: time,
  endedAt: time.nullable(),
  durationMs: z.number().nonnegative().nullable(),
  spend,
  isolation: z.enum(ISOLATIONS).nullable(),
  error: recordedError.nullable(),
  /** It failed, and the steps of `onError` ran instead. */
  handled: z.boolean().optional(),
  /** What the action printed and logged in its last attempt; absent if nothing. */
  logs: z.array(stepLog).optional(),
})
export type StepRecord = z.infer<typeof stepRecord>

export const runRecord = z.object({
  id: z.string(),
  primitive: z.enum(PRIMITIVES),
  name: z.string(),
  status: z.enum(RUN_STATUSES),
  /** Version and content hash of the definition that the run started with. */
  definition: z.object({ version: z.string(), hash: z.string() }),
  parentId: z.string().nullable(),
  /** The run that this one repeats, and from which step, counted from 1. */
  rerunOf: z.object({ id: z.string(), fromStep: z.int().positive() }).nullable(),
  idempotencyKey: z.string().nullable(),
  startedAt: time,
  endedAt: time.nullable(),
  durationMs: z.number().nonnegative().nullable(),
  stepCount: z.int().nonnegative(),
  spend,
  error: recordedError.nullable(),
})
export type RunRecord = z.infer<typeof runRecord>

/** Orders of a list of runs. */
export const RUN_ORDERS = ['newest', 'oldest', 'longest', 'dearest', 'name'] as const
export type RunOrder = (typeof RUN_ORDERS)[number]

/** A page of runs; `next` is `before` of the next page. */
export const runPage = z.object({ runs: z.array(runRecord), next: z.string().nullable() })

/** What fails at present: the last failed run of each name that did not succeed since. */
export const failureList = z.object({
  failures: z.array(
    z.object({
      run: runRecord,
      /** How often it failed since its last success. */
      count: z.int().positive(),
      /** The first of these failures. */
      since: time,
    }),
  ),
})
export type RunFailure = z.infer<typeof failureList>['failures'][number]

export const runDetail = runRecord.extend({
  input: fields.optional(),
  output: fields.optional(),
  steps: z.array(stepRecord),
  children: z.array(runRecord),
})
export type RunDetail = z.infer<typeof runDetail>
