import { z } from 'zod'
import { parseDuration } from './duration.ts'
import { flowDestination } from './flow-destination.ts'
import { flowDigest } from './flow-digest.ts'
import { flowMismatchOf } from './flow-ends.ts'
import { flowSchedule } from './flow-schedule.ts'
import { flowSource } from './flow-source.ts'
import { schemaAddress } from './json.ts'
import { LIMITS } from './limits.ts'
import { nameOf } from './naming.ts'

export const LOOP_OPERATORS = ['gte', 'lte', 'gt', 'lt', 'eq', 'ne'] as const

/** Spec 1, Loop Gate: one field of the result, one simple comparison, and a required cap. */
export const loopGate = z.strictObject({
  field: z.string().min(1).meta({ description: 'The field of the result that decides.' }),
  op: z
    .enum(LOOP_OPERATORS)
    .meta({ description: 'The comparison; the loop ends when it is true.' }),
  value: z
    .union([z.number(), z.boolean(), z.string()])
    .meta({ description: 'The value to compare with.' }),
  maxIterations: z
    .int()
    .min(1)
    .max(LIMITS.loopIterationsMax)
    .meta({ description: 'The maximum number of iterations.' }),
  onCap: z.enum(['reject', 'deliver']).optional().meta({
    description:
      'When the cap ends the loop: reject the item (default), or deliver its last result.',
  }),
})
export type LoopGate = z.infer<typeof loopGate>

const endFields = {
  source: flowSource.optional().meta({ description: 'Where items come from.' }),
  sources: z
    .array(flowSource)
    .min(1, 'needs at least one source')
    .max(LIMITS.flowSources)
    .optional()
    .meta({
      description: 'Several sources instead of `source`. If one fails, the others are still read.',
    }),
  destination: flowDestination.optional().meta({ description: 'Where results go.' }),
  destinations: z
    .array(flowDestination)
    .min(1, 'needs at least one destination')
    .max(LIMITS.flowDestinations)
    .optional()
    .meta({
      description:
        'Several destinations instead of `destination`. Each gets an item once; a failing one does not delay the others.',
    }),
}

const flowEntryFields = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, dashes or underscores')
    .meta({ description: 'Stable identity: seen items are remembered under it.' }),
  name: nameOf('flow').meta({
    description: 'F_SOURCE_PIPELINE: the source and the pipeline it feeds.',
  }),
  description: z.string().optional().meta({ description: 'What it does, in one sentence.' }),
  source: endFields.source,
  sources: endFields.sources,
  filter: z.string().min(1).max(LIMITS.conditionChars).optional().meta({
    description:
      'A CEL expression on the fields of an item; if it is false, the item is filtered and the pipeline is not called.',
  }),
  pipeline: nameOf('pipeline').optional().meta({
    description:
      'The pipeline that processes each item. Only flows with a queue destination may omit it.',
  }),
  with: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Fields for the pipeline; they override fields of the item.' }),
  digest: flowDigest.optional().meta({
    description: 'Collects items and delivers them together, once per run or time window.',
  }),
  destination: endFields.destination,
  destinations: endFields.destinations,
  schedule: flowSchedule.meta({
    description: 'When it runs, and where. Worker crons are generated from it.',
  }),
  loop: loopGate.optional().meta({
    description: 'Loop gate: repeats the pipeline until one field of its result matches.',
  }),
  concurrency: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .meta({ description: `Items processed concurrently; ${LIMITS.flowConcurrency} by default.` }),
  maxItems: z
    .int()
    .min(1)
    .max(LIMITS.flowItemsPerRun)
    .optional()
    .meta({ description: 'The most items one run takes; the rest waits for the next run.' }),
  retry: z
    .strictObject({
      giveUpAfter: z
        .string()
        .refine((text) => (parseDuration(text) ?? 0) > 0, 'must be a duration such as 7d or 12h')
        .optional()
        .meta({ description: 'How long an item may fail before it is given up; 7d by default.' }),
    })
    .optional()
    .meta({ description: 'How long failing items are retried.' }),
  budgetUsd: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'The most this flow may spend on models in a day, UTC.' }),
})
/** Only where items come from and where they go. */
export const flowEnds = z.object(endFields)

/** One flow. Combinations of fields are checked by `flowMismatchOf`. */
export const flowEntry = flowEntryFields.superRefine((flow, context) => {
  const mismatch = flowMismatchOf(flow)
  if (mismatch === undefined) return
  context.addIssue({ code: 'custom', ...mismatch })
})
export type FlowEntry = z.infer<typeof flowEntry>

/** `flow-index.json`. */
export const flowIndex = z
  .strictObject({
    $schema: schemaAddress,
    version: z.unknown().optional().meta({ description: 'Deprecated; not used.' }),
    generated: z.unknown().optional().meta({ description: 'Deprecated; not used.' }),
    flows: z.array(flowEntry).meta({ description: 'The flows.' }),
  })
  .superRefine(({ flows }, context) => {
    for (const key of ['id', 'name'] as const) {
      const seen = new Set<string>()
      flows.forEach((flow, index) => {
        if (seen.has(flow[key])) {
          context.addIssue({
            code: 'custom',
            path: ['flows', index, key],
            message: `${flow[key]} is used twice`,
          })
        }
        seen.add(flow[key])
      })
    }
  })
  .meta({ title: 'Steward flow registry' })
export type FlowIndex = z.infer<typeof flowIndex>
