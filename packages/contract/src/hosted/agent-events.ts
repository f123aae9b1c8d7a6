import { z } from 'zod'
import { agentContent, messageContent, toolResultContent } from './content.ts'
import { hostedId, instant } from './instant.ts'

const stamped = { id: hostedId, processed_at: instant }

export const EVALUATED_PERMISSIONS = ['allow', 'ask', 'deny'] as const
export type EvaluatedPermission = (typeof EVALUATED_PERMISSIONS)[number]

/** Which policy decided; for `auto` also the decision and its reason. */
export const toolEvaluation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('always_allow') }),
  z.object({ type: z.literal('always_ask') }),
  z.object({
    type: z.literal('auto'),
    evaluated_permission: z.discriminatedUnion('type', [
      z.object({ type: z.literal('allow') }),
      z.object({ type: z.literal('ask'), reason_code: z.string() }),
      z.object({ type: z.literal('deny'), reason_code: z.string() }),
    ]),
  }),
])
export type ToolEvaluation = z.infer<typeof toolEvaluation>

const call = {
  ...stamped,
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  session_thread_id: z.string().nullish(),
}
const judged = {
  evaluated_permission: z.enum(EVALUATED_PERMISSIONS).optional(),
  /** Absent when the call was refused before a policy applied. */
  evaluation: toolEvaluation.optional(),
}
const outcome = {
  ...stamped,
  content: z.array(toolResultContent).optional(),
  is_error: z.boolean().nullish(),
}

export const agentMessageEvent = z.object({
  ...stamped,
  type: z.literal('agent.message'),
  content: z.array(agentContent),
})
export const agentThinkingEvent = z.object({ ...stamped, type: z.literal('agent.thinking') })
export const agentToolUseEvent = z.object({
  ...call,
  ...judged,
  type: z.literal('agent.tool_use'),
})
export const agentToolResultEvent = z.object({
  ...outcome,
  type: z.literal('agent.tool_result'),
  tool_use_id: hostedId,
})
export const agentCustomToolUseEvent = z.object({
  ...call,
  type: z.literal('agent.custom_tool_use'),
})
export const agentMcpToolUseEvent = z.object({
  ...call,
  ...judged,
  type: z.literal('agent.mcp_tool_use'),
  mcp_server_name: z.string(),
})
export const agentMcpToolResultEvent = z.object({
  ...outcome,
  type: z.literal('agent.mcp_tool_result'),
  mcp_tool_use_id: hostedId,
})
export const agentThreadContextCompactedEvent = z.object({
  ...stamped,
  type: z.literal('agent.thread_context_compacted'),
})
export const agentThreadMessageSentEvent = z.object({
  ...stamped,
  type: z.literal('agent.thread_message_sent'),
  to_session_thread_id: hostedId,
  to_agent_name: z.string().nullish(),
  content: z.array(messageContent),
})
export const agentThreadMessageReceivedEvent = z.object({
  ...stamped,
  type: z.literal('agent.thread_message_received'),
  from_session_thread_id: hostedId,
  from_agent_name: z.string().nullish(),
  content: z.array(messageContent),
})

export const agentEvents = [
  agentMessageEvent,
  agentThinkingEvent,
  agentToolUseEvent,
  agentToolResultEvent,
  agentCustomToolUseEvent,
  agentMcpToolUseEvent,
  agentMcpToolResultEvent,
  agentThreadContextCompactedEvent,
  agentThreadMessageSentEvent,
  agentThreadMessageReceivedEvent,
] as const
export const agentEvent = z.discriminatedUnion('type', agentEvents)
export type AgentEvent = z.infer<typeof agentEvent>
