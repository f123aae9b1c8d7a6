import { z } from 'zod'
import { recordedError, spend } from './run.ts'

const time = z.iso.datetime()

/** Item counts of one flow run, and the reason if there was no output. */
export const flowRunSummary = z.object({
  runId: z.string(),
  startedAt: time,
  endedAt: time,
  durationMs: z.number().nonnegative(),
  outcome: z.enum(['delivered', 'nothing-new', 'partial', 'failed']),
  /** A readable sentence: the output, or why there was none. */
  reason: z.string(),
  items: z.object({
    found: z.int().nonnegative(),
    alreadySeen: z.int().nonnegative(),
    delivered: z.int().nonnegative(),
    rejected: z.int().nonnegative(),
    /** Processing failed; a later run tries again. */
    failed: z.int().nonnegative(),
    /** Processed, and not delivered yet. */
    waiting: z.int().nonnegative().default(0),
    /** Given up in this run, or before and still in the source. */
    givenUp: z.int().nonnegative().default(0),
    postponed: z.int().nonnegative(),
    /** Absent if a condition of the pipeline dropped none. */
    filtered: z.int().positive().optional(),
    /** Processed, and kept for the next digest. */
    collected: z.int().positive().optional(),
    /** Delivered to some of the flow’s destinations; they are also counted as waiting, rejected or given up. */
    partlyDelivered: z.int().positive().optional(),
  }),
  /** The error of the configuration that stopped the run; null if there was none. */
  blocked: recordedError.nullable().default(null),
  errors: z.array(recordedError.extend({ item: z.string().nullable() })),
  spend,
})
export type FlowRunSummary = z.infer<typeof flowRunSummary>

/** The configuration error that blocks a flow until a run succeeds. */
export const flowBlock = z.object({ code: z.string(), reason: z.string(), since: time }).nullable()

/** One flow: its last run and its history. */
export const flowStateEntry = z.object({
  id: z.string(),
  name: z.string(),
  enabled: z.boolean(),
  lastRun: flowRunSummary,
  lastDeliveredAt: time.nullable(),
  /** Runs in a row that delivered nothing and had errors. */
  consecutiveFailures: z.int().nonnegative(),
  blocked: flowBlock.default(null),
  runs: z.int().nonnegative(),
})

/** `MEMORY/STATE/flow-state.json`, by flow id. */
export const flowState = z.object({
  version: z.literal(1),
  updatedAt: time,
  flows: z.record(z.string(), flowStateEntry),
})
export type FlowState = z.infer<typeof flowState>
