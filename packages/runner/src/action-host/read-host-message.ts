import { CAPABILITIES, LOG_LEVELS } from '@steward/contract'
import { z } from 'zod'

const sentError = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  code: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  status: z.number().optional(),
  retryable: z.boolean().optional(),
  get cause() {
    return sentError.optional()
  },
})

const call = z.int().nonnegative()
const id = z.int().nonnegative()

/** Capabilities, and the two requests that belong to the body of a fetched page. */
const USES = [...CAPABILITIES, 'readBody', 'cancelBody'] as const

/** The messages that are accepted from a host. Its action can write anything, so others are rejected. */
const hostMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('loaded'), call }),
  z.object({ type: z.literal('log'), call, level: z.enum(LOG_LEVELS), text: z.string() }),
  z.object({ type: z.literal('use'), call, id, capability: z.enum(USES), args: z.unknown() }),
  z.object({ type: z.literal('cancel'), call, id }),
  z.object({ type: z.literal('done'), call, ms: z.number(), output: z.unknown() }),
  z.object({
    type: z.literal('failed'),
    call,
    at: z.enum(['load', 'execute', 'output']),
    error: sentError,
  }),
  z.object({ type: z.literal('crashed'), call, reason: z.string(), error: sentError }),
])
export type HostMessage = z.infer<typeof hostMessage>

/** Undefined if it is none. The usual one is recognised without the schema, which takes several times longer. */
export const readHostMessage = (value: unknown): HostMessage | undefined =>
  isDone(value) ? value : hostMessage.safeParse(value).data

const isDone = (value: unknown): value is Extract<HostMessage, { type: 'done' }> =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'done' &&
  'call' in value &&
  typeof value.call === 'number' &&
  'ms' in value &&
  typeof value.ms === 'number'
