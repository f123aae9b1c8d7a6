import { z } from 'zod'
import { parseDuration } from './duration.ts'
import { flowSchedule } from './flow-schedule.ts'
import { schemaAddress } from './json.ts'
import { LIMITS } from './limits.ts'
import { nameOf } from './naming.ts'
import { notificationKind } from './notification.ts'

const webUrl = z.string().regex(/^https?:\/\//, 'must be an http or https URL')
const headers = z
  .record(z.string(), z.string())
  .meta({ description: 'Request headers; ${NAME} is replaced by the secret of that name.' })

/**
 * The path syntax that the engine's `selectPath` supports: `$`, `.name`, `['name']`, `[0]`, `[*]`.
 */
const PATH =
  /^\$(\.[^\s.[\]'"*?()@,:\\]+|\['([^'\\]|\\['\\])*'\]|\["([^"\\]|\\["\\])*"\]|\[(0|[1-9]\d{0,8}|\*)\])*$/
const path = z
  .string()
  .regex(PATH, "must be a path of $, .name, ['name'], [0] and [*], such as $.data.items")

const rssSource = z.strictObject({
  type: z.literal('rss').meta({ description: 'A feed: RSS, Atom or JSON Feed.' }),
  url: z
    .string()
    .min(1)
    .meta({ description: 'http(s) address, or a path relative to the registry file.' }),
})
const apiSource = z.strictObject({
  type: z.literal('api').meta({ description: 'An endpoint that answers JSON.' }),
  url: webUrl.meta({ description: 'The address to request.' }),
  items: path.default('$').meta({ description: 'Path to the array of items: $.data.items' }),
  id: path.default('$.id').meta({ description: 'Path to an item’s identity.' }),
  content: path.optional().meta({ description: 'Path to the text within an item.' }),
  title: path.optional().meta({ description: 'Path to the title within an item.' }),
  link: path.optional().meta({ description: 'Path to the address within an item.' }),
  method: z.enum(['GET', 'POST']).default('GET').meta({ description: 'The request method.' }),
  headers: headers.optional(),
  body: z.unknown().optional().meta({ description: 'JSON to send with POST.' }),
})
export const WEBHOOK_SCHEMES = ['hmac', 'github', 'stripe', 'slack', 'standard'] as const
export type WebhookScheme = (typeof WEBHOOK_SCHEMES)[number]
const webhookSource = z.strictObject({
  type: z.literal('webhook').meta({ description: 'Signed requests from other systems.' }),
  secret: z
    .string()
    .min(1)
    .meta({ description: 'Name of the secret that signs requests (HMAC-SHA256).' }),
  scheme: z.enum(WEBHOOK_SCHEMES).default('hmac').meta({
    description:
      'How the sender signs: github, stripe, slack, standard (standardwebhooks.com), or hmac: sha256= and hexadecimal digits of the body in `header`.',
  }),
  header: z.string().optional().meta({
    description: 'The signature header of the scheme hmac; x-signature-256 by default.',
  }),
  items: path.default('$').meta({ description: 'Path to the item or items in the body.' }),
  id: path.default('$.id').meta({ description: 'Path to an item’s identity.' }),
  content: path.optional().meta({ description: 'Path to the text within an item.' }),
  title: path.optional().meta({ description: 'Path to the title within an item.' }),
  link: path.optional().meta({ description: 'Path to the address within an item.' }),
})
const fileSource = z.strictObject({
  type: z.literal('file').meta({ description: 'A local file or folder.' }),
  path: z
    .string()
    .min(1)
    .meta({ description: 'A file or a folder; relative to the registry file.' }),
  format: z
    .enum(['text', 'json', 'jsonl', 'feed'])
    .optional()
    .meta({ description: 'How to read it; by default from the file’s ending.' }),
})
/** The queue platform's rule for names; it also holds for dead letter queues. */
const queueName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower case letters, digits and dashes, 63 at most')
const feedsSource = z.strictObject({
  type: z.literal('feeds').meta({ description: 'All feeds of feeds.json beside the registry.' }),
  reader_url: webUrl.optional().meta({
    description: 'A reader that answers GET <reader_url>/<feed address> with markdown: tier 2.',
  }),
  proxy_url: webUrl.optional().meta({
    description: 'A fetch proxy (steward feed-proxy): tier 3. Its token is FEED_PROXY_TOKEN.',
  }),
})
const queueSource = z.strictObject({
  type: z.literal('queue').meta({ description: 'Messages that another flow enqueued.' }),
  queue: queueName.meta({ description: 'The queue to take messages from.' }),
  deadLetterQueue: queueName.optional().meta({
    description: 'The queue for messages that failed too often; by default <queue>-dead.',
  }),
  maxBatchSize: z
    .int()
    .min(1)
    .max(LIMITS.queueBatchMessages)
    .default(10)
    .meta({ description: 'The most messages taken at a time.' }),
  maxRetries: z
    .int()
    .min(0)
    .max(LIMITS.queueRetries)
    .default(3)
    .meta({ description: 'Redeliveries before a message becomes a dead letter.' }),
})
export const flowSource = z.discriminatedUnion('type', [
  rssSource,
  apiSource,
  webhookSource,
  fileSource,
  feedsSource,
  queueSource,
])
export type FlowSource = z.infer<typeof flowSource>

const emailDestination = z.strictObject({
  type: z.literal('email').meta({ description: 'One message per item.' }),
  address: z
    .email()
    .meta({ description: 'The recipient, unless the pipeline’s output has its own `to`.' }),
  subject: z.string().optional().meta({ description: 'Overrides the `subject` of the output.' }),
})
const fileDestination = z.strictObject({
  type: z.literal('file').meta({ description: 'Appends to a local file.' }),
  path: z.string().min(1).meta({
    description:
      'A path below OUTPUT in the data home, or in a folder of execution.destinations.roots.',
  }),
  format: z
    .enum(['markdown', 'jsonl', 'json'])
    .optional()
    .meta({ description: 'How to write it; by default from the file’s ending.' }),
})
const databaseDestination = z.strictObject({
  type: z.literal('database').meta({ description: 'One row per item.' }),
  table: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'must be lower_snake_case')
    .default('flow_items')
    .meta({ description: 'The table; created if missing.' }),
  path: z.string().optional().meta({
    description:
      'A SQLite file below OUTPUT, or in a folder of execution.destinations.roots; default state/flows.sqlite.',
  }),
})
const apiDestination = z.strictObject({
  type: z.literal('api').meta({ description: 'One request per item.' }),
  url: webUrl.meta({ description: 'The address to send to.' }),
  method: z
    .enum(['POST', 'PUT', 'PATCH'])
    .default('POST')
    .meta({ description: 'The request method.' }),
  headers: headers.optional(),
})
const queueDestination = z.strictObject({
  type: z.literal('queue').meta({ description: 'One message per item, for another flow.' }),
  queue: queueName.meta({ description: 'The queue to send to.' }),
})
const notifyDestination = z.strictObject({
  type: z.literal('notify').meta({ description: 'One notification per item; not on the edge.' }),
  kind: notificationKind.optional().meta({
    description: 'Its channels by notifications.routing; without it push, else the desktop.',
  }),
  title: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Its title; {field} is replaced by that field of the output.' }),
  message: z.string().min(1).optional().meta({
    description: 'Its text, filled in the same way; by default the readable part of the output.',
  }),
})
export const flowDestination = z.discriminatedUnion('type', [
  emailDestination,
  fileDestination,
  databaseDestination,
  apiDestination,
  queueDestination,
  notifyDestination,
])
export type FlowDestination = z.infer<typeof flowDestination>

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
    .meta({ description: 'The required cap on iterations.' }),
  onCap: z.enum(['reject', 'deliver']).optional().meta({
    description:
      'When the cap ends the loop: reject the item (default), or deliver its last result.',
  }),
})
export type LoopGate = z.infer<typeof loopGate>

const flowEntryFields = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, dashes or underscores')
    .meta({ description: 'Stable identity: seen items are remembered under it.' }),
  name: nameOf('flow').meta({
    description: 'F_SOURCE_PIPELINE: the source and the pipeline it feeds.',
  }),
  description: z.string().optional().meta({ description: 'What it does, in one sentence.' }),
  source: flowSource.meta({ description: 'Where items come from.' }),
  pipeline: nameOf('pipeline').optional().meta({
    description:
      'The pipeline that processes each item. Only flows with a queue destination may omit it.',
  }),
  destination: flowDestination.meta({ description: 'Where results go.' }),
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
    .object({
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
/** One flow. Combinations of fields are checked by `flowMismatchOf`. */
export const flowEntry = flowEntryFields.superRefine((flow, context) => {
  const mismatch = flowMismatchOf(flow)
  if (mismatch === undefined) return
  const [field, message] = mismatch
  context.addIssue({ code: 'custom', path: [field], message })
})
export type FlowEntry = z.infer<typeof flowEntry>

/** The first incompatible pair of fields: which one to change, and why. */
export const flowMismatchOf = ({
  source,
  pipeline,
  destination,
  loop,
}: {
  source: FlowSource
  pipeline?: string | undefined
  destination: FlowDestination
  loop?: LoopGate | undefined
}): [keyof FlowEntry, string] | undefined => {
  const toQueue = destination.type === 'queue'
  if (source.type === 'feeds' && !toQueue) {
    return [
      'destination',
      'a feeds source only enqueues: use {"type": "queue", "queue": "feed-items"}',
    ]
  }
  if (source.type === 'feeds' && pipeline !== undefined) {
    return ['pipeline', 'a feeds source only enqueues: give it to the flow that takes the queue']
  }
  if (source.type === 'queue' && toQueue && source.queue === destination.queue) {
    return ['destination', `it would feed itself: ${source.queue} is its source too`]
  }
  if (pipeline !== undefined) return undefined
  if (!toQueue) {
    return ['pipeline', 'is missing: only a flow with a queue destination does without']
  }
  return loop === undefined ? undefined : ['loop', 'needs a pipeline to repeat']
}

/** `flow-index.json`. */
export const flowIndex = z
  .strictObject({
    $schema: schemaAddress,
    version: z.unknown().optional().meta({ description: 'Of older registries; not used.' }),
    generated: z.unknown().optional().meta({ description: 'Of older registries; not used.' }),
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
