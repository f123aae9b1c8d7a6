import { z } from 'zod'

/**
 * `found`: known, not processed yet or to be processed again. `processed`: the output is stored.
 * `waiting`: a delivery failed or the destination is down; delivered later without a model call.
 * `rejected`: its content cannot be used. `given-up`: it failed for longer than
 * `retry.giveUpAfter`. `filtered`: a condition of the flow or pipeline dropped it.
 */
export const ITEM_STATES = [
  'found',
  'processed',
  'waiting',
  'delivered',
  'rejected',
  'given-up',
  'filtered',
] as const
export type ItemState = (typeof ITEM_STATES)[number]

const time = z.iso.datetime()

/** One item of a flow, as listed for people and programs. */
export const flowItem = z.object({
  id: z.string(),
  title: z.string().nullable(),
  state: z.enum(ITEM_STATES),
  /** Failed attempts; errors of the configuration do not count. */
  attempts: z.int().nonnegative(),
  /** When the next scheduled run may try again; null if nothing is planned. */
  nextAttemptAt: time.nullable(),
  /** Why it is not delivered. */
  error: z.string().nullable(),
  /** What each destination did, if the flow has several and not all have it. */
  deliveries: z
    .array(
      z.object({
        /** Its place and type, such as `2 email`. */
        destination: z.string(),
        state: z.enum(ITEM_STATES),
        attempts: z.int().nonnegative(),
        nextAttemptAt: time.nullable(),
        error: z.string().nullable(),
      }),
    )
    .optional(),
  changedAt: time,
  /** The run that last worked on it. */
  runId: z.string(),
})
export type FlowItemView = z.infer<typeof flowItem>

/** The items of a flow that may be retried, and which of them by default. */
export const retryItems = z.strictObject({
  items: z
    .array(z.string().min(1))
    .optional()
    .meta({ description: 'Ids of items; without them, all that wait, failed or were given up.' }),
  all: z.boolean().optional().meta({ description: 'Rejected items too.' }),
})
export type RetryItems = z.infer<typeof retryItems>
