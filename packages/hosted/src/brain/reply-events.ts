import type { ModelUsage } from '@steward/contract'
import type { NewEvent } from '../database/stored-event.ts'
import { createId } from '../ids/create-id.ts'
import type { ModelBill } from '../log/summary.ts'
import { type ModelBlock, type ModelReply, textBlock, toolUseBlock } from './models/model.ts'
import { evaluateCall } from './tools/evaluate-call.ts'
import type { AgentsTool } from './tools/find-tool.ts'

/** A request in flight: the id of its start event and the ids that its answer will have. */
export interface Asked {
  startId: string
  messageId: string
  thinkingId: string
}

/** The model's answer as events: messages, tool calls, and finally the end of the request. */
export const replyEvents = (
  tools: readonly AgentsTool[],
  asked: Asked,
  reply: ModelReply,
  bill: ModelBill,
): NewEvent[] => {
  const content = usable(reply)
  const texts = reply.content.flatMap((block) => {
    const read = textBlock.safeParse(block)
    return read.success && read.data.text !== '' ? [{ type: 'text', text: read.data.text }] : []
  })
  const events: NewEvent[] = []
  if (content.some(({ type }) => THINKING.has(type)))
    events.push({ type: 'agent.thinking', id: asked.thinkingId })
  if (texts.length > 0)
    events.push({ type: 'agent.message', id: asked.messageId, body: { content: texts } })
  for (const block of content) {
    const call = toolUseBlock.safeParse(block)
    if (call.success) events.push(callEvent(tools, call.data))
  }
  events.push(answeredEvent(asked.startId, { ...reply, content }, bill))
  return events
}

const THINKING: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'reasoning'])

export const answeredEvent = (
  startId: string,
  { content, stop, refusal, usage }: ModelReply,
  bill: ModelBill,
): NewEvent => ({
  type: 'span.model_request_end',
  body: { model_request_start_id: startId, is_error: false, model_usage: toModelUsage(usage) },
  hidden: {
    content,
    stop,
    refusal: refusal ?? null,
    windowTokens:
      usage.input + usage.output + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
    bill,
  },
})

export const toModelUsage = (usage: ModelReply['usage']): ModelUsage => ({
  input_tokens: usage.input,
  output_tokens: usage.output,
  cache_creation_input_tokens: usage.cacheWrite5m + usage.cacheWrite1h,
  cache_read_input_tokens: usage.cacheRead,
})

/**
 * The part of a reply that may enter the conversation. A call that was cut off or stands beside a
 * refusal would wait indefinitely for a result, and model APIs reject blank texts.
 */
const usable = ({ content, stop }: ModelReply): ModelBlock[] => {
  const calls = stop === 'tool_use' || stop === 'end_turn'
  return content.filter((block) => {
    if (block.type === 'text') return textBlock.safeParse(block).data?.text.trim() !== ''
    return calls || block.type !== 'tool_use'
  })
}

/** Delegating does nothing by itself: the tools of the other agent have their own permissions. */
const ALWAYS_ALLOWED = {
  evaluated_permission: 'allow',
  evaluation: { type: 'always_allow' },
} as const

const callEvent = (
  tools: readonly AgentsTool[],
  { id: callId, name, input }: { id: string; name: string; input: Record<string, unknown> },
): NewEvent => {
  const tool = tools.find((candidate) => candidate.name === name)
  const made = { id: createId('sevt'), hidden: { callId } }
  if (tool?.type === 'custom')
    return { ...made, type: 'agent.custom_tool_use', body: { name, input } }
  if (tool?.type === 'mcp') {
    const called = { mcp_server_name: tool.server, name: tool.tool, input }
    const body = { ...called, ...evaluateCall(tool, input) }
    return { ...made, type: 'agent.mcp_tool_use', body }
  }
  const permission = tool?.type === 'delegation' ? ALWAYS_ALLOWED : evaluateCall(tool, input)
  return { ...made, type: 'agent.tool_use', body: { name, input, ...permission } }
}
