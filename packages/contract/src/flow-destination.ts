import { z } from 'zod'
import { headers, queueName, secretName, webUrl } from './flow-source.ts'
import { KNOWLEDGE_DOMAINS } from './knowledge-domain.ts'
import { notificationKind } from './notification.ts'

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
/** What a person reads of an item in a notification or a chat. */
const messageFields = {
  title: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Its title; {field} is replaced by that field of the output.' }),
  message: z.string().min(1).optional().meta({
    description: 'Its text, filled in the same way; by default the readable part of the output.',
  }),
}
const notifyDestination = z.strictObject({
  type: z.literal('notify').meta({ description: 'One notification per item; not on the edge.' }),
  kind: notificationKind.optional().meta({
    description: 'Decides the channels (notifications.routing); by default push, else the desktop.',
  }),
  ...messageFields,
})
const noteDestination = z.strictObject({
  type: z.literal('note').meta({ description: 'One knowledge note per item; not on the edge.' }),
  domain: z
    .enum(KNOWLEDGE_DOMAINS)
    .default('Research')
    .meta({ description: 'The folder of MEMORY/KNOWLEDGE.' }),
  title: z.string().min(1).optional().meta({
    description: 'Its title; {field} is replaced by that field of the output.',
  }),
  tags: z.array(z.string().min(1)).optional().meta({ description: 'Its tags.' }),
})
const webhookDestination = z.strictObject({
  type: z.literal('webhook').meta({ description: 'One signed request per item.' }),
  url: webUrl.meta({ description: 'The address to send to.' }),
  secret: secretName.optional().meta({
    description: 'Name of the secret that signs requests as Standard Webhooks do (whsec_…).',
  }),
  headers: headers.optional(),
})
const chatFields = {
  secret: secretName.meta({
    description: 'Name of the secret that holds the address of the incoming webhook.',
  }),
  ...messageFields,
}
const slackDestination = z.strictObject({
  type: z.literal('slack').meta({ description: 'One post per item to a Slack-style webhook.' }),
  ...chatFields,
})
const discordDestination = z.strictObject({
  type: z.literal('discord').meta({ description: 'One post per item to a Discord-style webhook.' }),
  ...chatFields,
})
const gitDestination = z.strictObject({
  type: z.literal('git').meta({ description: 'One file and commit per item; not on the edge.' }),
  repository: z.string().min(1).meta({
    description:
      'A git repository below OUTPUT in the data home, or in a folder of execution.destinations.roots.',
  }),
  folder: z
    .string()
    .default('.')
    .meta({ description: 'The folder of the repository to write into; created if missing.' }),
  message: z.string().min(1).optional().meta({
    description: 'Subject of the commit; {field} is replaced by that field of the output.',
  }),
})

export const bucketName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, 'must be the name of a bucket')

const s3Destination = z.strictObject({
  type: z.literal('s3').meta({ description: 'One object per item in an S3-compatible store.' }),
  endpoint: webUrl.meta({
    description: 'Address of the service: https://s3.eu-central-1.amazonaws.com',
  }),
  bucket: bucketName.meta({ description: 'The bucket.' }),
  region: z.string().min(1).default('auto').meta({ description: 'Its region.' }),
  prefix: z.string().default('').meta({ description: 'Put before the names of objects: notes/' }),
  format: z.enum(['markdown', 'json']).default('json').meta({
    description: 'Whether to write the whole item (json) or its readable text (markdown).',
  }),
  accessKeyId: secretName.meta({ description: 'Name of the secret with the access key id.' }),
  secretAccessKey: secretName.meta({ description: 'Name of the secret with the secret key.' }),
})
export const flowDestination = z.discriminatedUnion('type', [
  emailDestination,
  fileDestination,
  databaseDestination,
  apiDestination,
  queueDestination,
  notifyDestination,
  noteDestination,
  webhookDestination,
  slackDestination,
  discordDestination,
  gitDestination,
  s3Destination,
])
export type FlowDestination = z.infer<typeof flowDestination>
