import { z } from 'zod'
import { LIMITS } from './limits.ts'
import { nameOf } from './naming.ts'

const webUrl = z.string().regex(/^https?:\/\//, 'must be an http or https URL')
const headers = z
  .record(z.string(), z.string())
  .meta({ description: 'Request headers; ${NAME} is replaced by the secret of that name.' })

const path = z.string().regex(/^\$/, 'must be a path that starts with $, such as $.data.items')

const rssSource = z.object({
  type: z.literal('rss'),
  url: z
    .string()
    .min(1)
    .meta({ description: 'http(s) address, or a path relative to the registry file.' }),
})
const apiSource = z.object({
  type: z.literal('api'),
  url: webUrl,
  items: path.default('$').meta({ description: 'Path to the array of items: $.data.items' }),
  id: path.default('$.id').meta({ description: 'Path to an item’s identity.' }),
  content: path.optional().meta({ description: 'Path to the text within an item.' }),
  title: path.optional(),
  link: path.optional(),
  method: z.enum(['GET', 'POST']).default('GET'),
  headers: headers.optional(),
  body: z.unknown().optional(),
})
const webhookSource = z.object({
  type: z.literal('webhook'),
  secret: z
    .string()
    .min(1)
    .meta({ description: 'Name of the secret that signs the body (HMAC-SHA256).' }),
  header: z.string().default('x-signature-256'),
  items: path.default('$'),
  id: path.default('$.id'),
  content: path.optional(),
  title: path.optional(),
  link: path.optional(),
})
const fileSource = z.object({
  type: z.literal('file'),
  path: z
    .string()
    .min(1)
    .meta({ description: 'A file or a folder; relative to the registry file.' }),
  format: z.enum(['text', 'json', 'jsonl', 'feed']).optional(),
})
export const flowSource = z.discriminatedUnion('type', [
  rssSource,
  apiSource,
  webhookSource,
  fileSource,
])
export type FlowSource = z.infer<typeof flowSource>

const emailDestination = z.object({
  type: z.literal('email'),
  address: z.email(),
  subject: z.string().optional(),
})
const fileDestination = z.object({
  type: z.literal('file'),
  path: z
    .string()
    .min(1)
    .meta({ description: 'Relative paths are below OUTPUT in the data home.' }),
  format: z.enum(['markdown', 'jsonl', 'json']).optional(),
})
const databaseDestination = z.object({
  type: z.literal('database'),
  table: z
    .string()
    .regex(/^[a-z][a-z0-9_]*$/, 'must be lower_snake_case')
    .default('flow_items'),
  path: z.string().optional().meta({ description: 'A SQLite file; default state/flows.sqlite.' }),
})
const apiDestination = z.object({
  type: z.literal('api'),
  url: webUrl,
  method: z.enum(['POST', 'PUT', 'PATCH']).default('POST'),
  headers: headers.optional(),
})
export const flowDestination = z.discriminatedUnion('type', [
  emailDestination,
  fileDestination,
  databaseDestination,
  apiDestination,
])
export type FlowDestination = z.infer<typeof flowDestination>

export const LOOP_OPERATORS = ['gte', 'lte', 'gt', 'lt', 'eq', 'ne'] as const

/** Spec 1, Loop Gate: one field of the result, one simple comparison, and a cap that must be there. */
export const loopGate = z.object({
  field: z.string().min(1),
  op: z.enum(LOOP_OPERATORS),
  value: z.union([z.number(), z.boolean(), z.string()]),
  maxIterations: z.int().min(1).max(LIMITS.loopIterationsMax),
})
export type LoopGate = z.infer<typeof loopGate>

export const flowEntry = z.looseObject({
  id: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, dots, dashes or underscores'),
  name: nameOf('flow'),
  description: z.string().optional(),
  source: flowSource,
  pipeline: nameOf('pipeline'),
  destination: flowDestination,
  schedule: z.object({ intervalMinutes: z.int().min(1), enabled: z.boolean() }),
  loop: loopGate.optional(),
  concurrency: z.int().min(1).max(64).optional(),
  maxItems: z.int().min(1).max(LIMITS.flowItemsPerRun).optional(),
  budgetUsd: z.number().positive().optional(),
})
export type FlowEntry = z.infer<typeof flowEntry>

/** `flow-index.json`. */
export const flowIndex = z
  .looseObject({ $schema: z.string().optional(), flows: z.array(flowEntry) })
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
  .meta({ id: 'flow-index', title: 'Steward flow registry' })
export type FlowIndex = z.infer<typeof flowIndex>
