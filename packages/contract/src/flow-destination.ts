import { z } from 'zod'
import { headers, queueName, webUrl } from './flow-source.ts'
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
