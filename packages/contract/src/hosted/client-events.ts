import { z } from 'zod'
import { messageContent, textContent, toolResultContent } from './content.ts'
import { HOSTED_LIMITS } from './hosted-limits.ts'
import { hostedId } from './instant.ts'

/**
 * Events that a client may send to a session. Unknown fields of an event are refused; unknown
 * fields of a content block are dropped, because tool results are often blocks of another API with
 * extra fields.
 */
const rubric = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    content: z.string().max(HOSTED_LIMITS.rubricCharacters),
  }),
  z.strictObject({ type: z.literal('file'), file_id: hostedId }),
])

/**
 * The id that a reply answers already identifies its thread, so the thread that older clients send
 * back is ignored.
 */
const reply = { session_thread_id: z.string().nullish() }

export const userMessage = z.strictObject({
  type: z.literal('user.message'),
  content: z.array(messageContent).min(1),
})
export const userInterrupt = z.strictObject({
  type: z.literal('user.interrupt'),
  session_thread_id: z.string().nullish(),
})
export const userToolConfirmation = z
  .strictObject({
    type: z.literal('user.tool_confirmation'),
    tool_use_id: hostedId,
    result: z.enum(['allow', 'deny']),
    deny_message: z.string().nullish(),
    ...reply,
  })
  .refine((event) => event.result === 'deny' || !event.deny_message, {
    path: ['deny_message'],
    message: 'only goes with result "deny"',
  })
export const userCustomToolResult = z.strictObject({
  type: z.literal('user.custom_tool_result'),
  custom_tool_use_id: hostedId,
  content: z.array(toolResultContent).optional(),
  is_error: z.boolean().nullish(),
  ...reply,
})
export const userToolResult = z.strictObject({
  type: z.literal('user.tool_result'),
  tool_use_id: hostedId,
  content: z.array(toolResultContent).optional(),
  is_error: z.boolean().nullish(),
  ...reply,
})
export const userDefineOutcome = z.strictObject({
  type: z.literal('user.define_outcome'),
  description: z.string().min(1),
  rubric,
  max_iterations: z.number().int().min(1).max(HOSTED_LIMITS.outcomeIterations).nullish(),
})
export const systemMessage = z.strictObject({
  type: z.literal('system.message'),
  content: z.array(textContent).min(1),
})

export const clientEvent = z.discriminatedUnion('type', [
  userMessage,
  userInterrupt,
  userToolConfirmation,
  userCustomToolResult,
  userToolResult,
  userDefineOutcome,
  systemMessage,
])
export type ClientEvent = z.infer<typeof clientEvent>
export type ClientEventType = ClientEvent['type']

/** Events that a session may be created with. */
export const initialEvent = z.discriminatedUnion('type', [userMessage, userDefineOutcome])
export type InitialEvent = z.infer<typeof initialEvent>

const ACCOMPANIED: readonly ClientEventType[] = [
  'user.message',
  'user.tool_result',
  'user.custom_tool_result',
]

/** Body of `POST /v1/sessions/{id}/events`. */
export const sendEventsBody = z
  .strictObject({ events: z.array(clientEvent).min(1).max(HOSTED_LIMITS.eventsPerRequest) })
  .superRefine(({ events }, context) => {
    events.forEach((event, index) => {
      if (event.type !== 'system.message') return
      const before = events[index - 1]?.type
      const fits = before !== undefined && ACCOMPANIED.includes(before)
      if (fits && index === events.length - 1) return
      context.addIssue({
        code: 'custom',
        path: ['events', index],
        message: `system.message comes once, last, right after one of ${ACCOMPANIED.join(', ')}`,
      })
    })
  })
