import { z } from 'zod'
import { parseDuration } from './duration.ts'
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

export const secretName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a secret, such as MY_KEY')

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
const maxPages = z
  .int()
  .min(1)
  .max(LIMITS.sourcePages)
  .default(10)
  .meta({ description: 'The most pages per run; the next run continues after them.' })
const pagination = z.discriminatedUnion('by', [
  z.strictObject({
    by: z.literal('link').meta({ description: 'The answer’s header `Link: <…>; rel="next"`.' }),
    maxPages,
  }),
  z.strictObject({
    by: z.literal('cursor').meta({ description: 'A field of the answer leads to the next page.' }),
    next: path.meta({ description: 'Path to the cursor or the address of the next page.' }),
    parameter: z.string().min(1).default('cursor').meta({
      description: 'Where to send the cursor: a query parameter, or a field of the body with POST.',
    }),
    resume: z.boolean().default(false).meta({
      description:
        'Start each run at the last cursor instead of the first page; for cursors that stay valid.',
    }),
    maxPages,
  }),
  z.strictObject({
    by: z.literal('page').meta({ description: 'Numbered pages, or offsets with `step`.' }),
    parameter: z.string().min(1).default('page').meta({ description: 'The query parameter.' }),
    first: z.int().min(0).default(1).meta({ description: 'The number of the first page.' }),
    step: z.int().min(1).default(1).meta({ description: 'Added to the number for the next page.' }),
    maxPages,
  }),
])
const apiSource = z.strictObject({
  type: z.literal('api').meta({ description: 'An endpoint that answers JSON.' }),
  url: webUrl.meta({ description: 'The address to request.' }),
  items: path.default('$').meta({ description: 'Path to the array of items: $.data.items' }),
  ...itemPaths,
  method: z.enum(['GET', 'POST']).default('GET').meta({ description: 'The request method.' }),
  headers: headers.optional(),
  body: z.unknown().optional().meta({ description: 'JSON to send with POST.' }),
  pagination: pagination.optional().meta({
    description: 'How to reach the next page; only the first one is read by default.',
  }),
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
  format: z.enum(['text', 'lines', 'json', 'jsonl', 'feed']).optional().meta({
    description:
      'How to read it; by default from the file’s ending. With lines, each line is an item.',
  }),
})
const pageSource = z.strictObject({
  type: z.literal('page').meta({
    description: 'A web page: one item at the first run, and one for every change of its text.',
  }),
  url: z
    .string()
    .min(1)
    .meta({ description: 'http(s) address, or a path relative to the registry file.' }),
  find: z
    .string()
    .max(500)
    .refine((text) => text.split('{value}').length === 2, 'must contain {value} once')
    .optional()
    .meta({
      description:
        'Watch only one value: the text around it, such as "Price: {value} EUR". It becomes the field value, a number if it is one.',
    }),
})
const folderSource = z.strictObject({
  type: z
    .literal('folder')
    .meta({ description: 'New and changed files of a folder; not on the edge.' }),
  path: z.string().min(1).meta({
    description: 'The folder; relative to the registry file, or beginning with ~/.',
  }),
  glob: z
    .string()
    .min(1)
    .default('**/*')
    .meta({ description: 'Which files, relative to the folder: `**/*.md`, `reports/*.txt`.' }),
  maxBytes: z
    .int()
    .min(1)
    .max(LIMITS.readFileBytes)
    .default(LIMITS.watchedFileBytes)
    .meta({ description: 'Larger files are left out and reported.' }),
})
const LOOPBACK_HOST = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i
const mailboxSource = z
  .strictObject({
    type: z.literal('mailbox').meta({ description: 'A mailbox through IMAP; not on the edge.' }),
    host: z.string().min(1).meta({ description: 'The server: imap.example.com' }),
    port: z.int().min(1).max(65_535).optional().meta({
      description: '993 by default; 143 without `security: "tls"`.',
    }),
    security: z.enum(['tls', 'starttls', 'none']).default('tls').meta({
      description: 'How the connection is protected; `none` only to this machine.',
    }),
    user: z.string().min(1).meta({ description: 'The name to log in with.' }),
    password: secretName.meta({ description: 'Name of the secret with the password.' }),
    folder: z.string().min(1).default('INBOX').meta({ description: 'The folder to read.' }),
    unseen: z.boolean().default(false).meta({ description: 'Unread messages only.' }),
    since: z
      .string()
      .refine((text) => (parseDuration(text) ?? 0) > 0, 'must be a duration such as 7d or 12h')
      .default('7d')
      .meta({ description: 'How far back the first run looks.' }),
  })
  .refine(({ security, host }) => security !== 'none' || LOOPBACK_HOST.test(host), {
    path: ['security'],
    message: 'must be tls or starttls for a server that is not on this machine',
  })
const commandSource = z.strictObject({
  type: z
    .literal('command')
    .meta({ description: 'The output of a program in the sandbox; not on the edge.' }),
  command: z.array(z.string()).min(1).meta({
    description:
      'The program and its arguments; `./name` is a file beside the registry. No shell is involved.',
  }),
  format: z.enum(['json', 'jsonl', 'lines']).default('json').meta({
    description: 'One JSON document, one JSON value per line, or one text per line.',
  }),
  items: path.default('$').meta({ description: 'Path to the array of items in the JSON.' }),
  ...itemPaths,
  env: z
    .record(z.string(), z.string())
    .optional()
    .meta({ description: 'Additional environment variables.' }),
  secrets: z
    .array(secretName)
    .optional()
    .meta({ description: 'Names of secrets that it gets as environment variables.' }),
  readPaths: z.array(z.string().min(1)).optional().meta({
    description: 'Further files and folders it may read: absolute, or beginning with ~/.',
  }),
  network: z.boolean().default(false).meta({ description: 'Whether it gets network access.' }),
  timeoutMs: z
    .int()
    .min(1)
    .max(LIMITS.shellTimeoutMs)
    .optional()
    .meta({ description: `How long it may run; ${LIMITS.shellTimeoutMs} by default.` }),
})
const USAGE_PERIODS = ['day', 'week', 'month'] as const
export type UsagePeriod = (typeof USAGE_PERIODS)[number]
const usageSource = z.strictObject({
  type: z.literal('usage').meta({
    description: 'Tokens and cost of your assistants, one item per period; not on the edge.',
  }),
  period: z.enum(USAGE_PERIODS).default('week').meta({
    description: 'The last complete period is reported; weeks begin on Monday.',
  }),
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
  pageSource,
  folderSource,
  mailboxSource,
  commandSource,
  usageSource,
  feedsSource,
  queueSource,
])
export type FlowSource = z.infer<typeof flowSource>
