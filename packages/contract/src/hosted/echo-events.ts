import { z } from 'zod'
import { messageContent, textContent, toolResultContent } from './content.ts'
import { hostedId, instant } from './instant.ts'

/**
 * Client events as stored in the log. `processed_at` is null until the agent loop processes the
 * event.
 */
const queued = { id: hostedId, processed_at: instant.nullable() }
/** Stamped on receipt, because these events never wait. */
const received = { id: hostedId, processed_at: instant }
const routed = { session_thread_id: z.string().nullish() }

export const userMessageEvent = z.object({
  ...queued,
  type: z.literal('user.message'),
  content: z.array(messageContent),
})
export const userInterruptEvent = z.object({
  ...queued,
  ...routed,
  type: z.literal('user.interrupt'),
})
export const userToolConfirmationEvent = z.object({
  ...queued,
  ...routed,
  type: z.literal('user.tool_confirmation'),
  tool_use_id: hostedId,
  result: z.enum(['allow', 'deny']),
  deny_message: z.string().nullish(),
})
export const userCustomToolResultEvent = z.object({
  ...received,
  ...routed,
  type: z.literal('user.custom_tool_result'),
  custom_tool_use_id: hostedId,
  content: z.array(toolResultContent).optional(),
  is_error: z.boolean().nullish(),
})
export const userToolResultEvent = z.object({
  ...received,
  ...routed,
  type: z.literal('user.tool_result'),
  tool_use_id: hostedId,
  content: z.array(toolResultContent).optional(),
  is_error: z.boolean().nullish(),
})
export const userDefineOutcomeEvent = z.object({
  ...received,
  type: z.literal('user.define_outcome'),
  outcome_id: hostedId,
  description: z.string(),
  rubric: z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), content: z.string() }),
    z.object({ type: z.literal('file'), file_id: hostedId }),
  ]),
  max_iterations: z.number().int().nullable(),
})
export const systemMessageEvent = z.object({
  ...queued,
  type: z.literal('system.message'),
  content: z.array(textContent),
})

export const echoEvents = [
  userMessageEvent,
  userInterruptEvent,
  userToolConfirmationEvent,
  userCustomToolResultEvent,
  userToolResultEvent,
  userDefineOutcomeEvent,
  systemMessageEvent,
] as const

/** A client event with the id and time that the server assigned. */
export const echoEvent = z.discriminatedUnion('type', echoEvents).meta({ id: 'EchoEvent' })
export type EchoEvent = z.infer<typeof echoEvent>
