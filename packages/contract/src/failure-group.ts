import { z } from 'zod'

/** `delivery`: of an item to a flow's destination. `notification`: of a notice to a channel. */
export const FAILURE_KINDS = ['run', 'delivery', 'notification', 'tool'] as const

/** Failures with the same cause in a period, as a store counts them. */
export interface FailureGroup {
  kind: (typeof FAILURE_KINDS)[number]
  /** The action or automation, the destination, the channel or the tool. */
  name: string
  /** The automations in which it failed, at most a few. */
  within: readonly string[]
  /** From the error table; null if the store keeps only a text. */
  code: string | null
  /** The error message of the last one. */
  cause: string
  /** The time of each. */
  timesMs: readonly number[]
  /** The last run. */
  runId: string | null
}

/** The same failure several times in a period. */
export const recurringFailure = z.object({
  kind: z.enum(FAILURE_KINDS),
  /** The action or automation, the destination, the channel or the tool. */
  name: z.string(),
  /** The automations in which it failed, at most five. */
  within: z.array(z.string()),
  /** From the error table; null for tools and channels, which report a text. */
  code: z.string().nullable(),
  /** The message of the last one; of a tool, the text without paths, numbers and ids. */
  cause: z.string(),
  remedy: z.string().nullable(),
  count: z.int().positive(),
  /** In the period; of a tool, the first that is known. */
  firstAt: z.string(),
  lastAt: z.string(),
  /** Failures on each UTC day of the period, the oldest first. */
  days: z.array(z.int().nonnegative()),
  /** The last run or session in which it happened. */
  runId: z.string().nullable(),
  sessionId: z.string().nullable(),
})
export type RecurringFailure = z.infer<typeof recurringFailure>
