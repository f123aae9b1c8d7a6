import { z } from 'zod'
import { LIMITS } from './limits.ts'

export const webUrl = z.string().regex(/^https?:\/\//, 'must be an http or https URL')
export const headers = z
  .record(z.string(), z.string())
  .meta({ description: 'Request headers; ${NAME} is replaced by the secret of that name.' })

/** The queue platform's rule for names; it also holds for dead letter queues. */
export const queueName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower case letters, digits and dashes, 63 at most')

/**
 * The path syntax that the engine's `selectPath` supports: `$`, `.name`, `['name']`, `[0]`, `[*]`.
 */
const PATH =
  /^\$(\.[^\s.[\]'"*?()@,:\\]+|\['([^'\\]|\\['\\])*'\]|\["([^"\\]|\\["\\])*"\]|\[(0|[1-9]\d{0,8}|\*)\])*$/
const path = z
  .string()
  .regex(PATH, "must be a path of $, .name, ['name'], [0] and [*], such as $.data.items")

/** Where the parts of an item are, in a source of JSON. */
const itemPaths = {
  id: path.default('$.id').meta({ description: 'Path to an item’s identity.' }),
  content: path.optional().meta({ description: 'Path to the text within an item.' }),
  title: path.optional().meta({ description: 'Path to the title within an item.' }),
  link: path.optional().meta({ description: 'Path to the address within an item.' }),
}

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
  ...itemPaths,
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
  ...itemPaths,
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
