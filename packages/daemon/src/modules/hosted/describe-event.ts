import {
  type HostedContent,
  type HostedEntry,
  type ListableEvent,
  type LoggedEvent,
  listableEvent,
} from '@steward/contract'

/** An event of the log in readable form. */
export const describeEvent = (event: LoggedEvent): HostedEntry => {
  const base = { seq: event.seq, id: event.id, at: event.at, type: event.type }
  const { data } = listableEvent.safeParse(event)
  if (data === undefined) return { ...base, kind: 'note', text: event.type }
  return { ...base, ...describe(data) }
}

type Description<K extends HostedEntry = HostedEntry> = K extends unknown
  ? Omit<K, 'seq' | 'id' | 'at' | 'type'>
  : never

const describe = (event: ListableEvent): Description => {
  switch (event.type) {
    case 'user.message':
    case 'system.message':
      return {
        kind: 'message',
        by: event.type === 'user.message' ? 'you' : 'system',
        text: textOf(event.content),
        queued: event.processed_at === null,
      }
    case 'agent.message':
      return { kind: 'message', by: 'agent', text: textOf(event.content), queued: false }
    case 'agent.tool_use':
    case 'agent.mcp_tool_use':
    case 'agent.custom_tool_use':
      return describeCall(event)
    case 'agent.tool_result':
    case 'user.tool_result':
      return resultOf(event.tool_use_id, event)
    case 'agent.mcp_tool_result':
      return resultOf(event.mcp_tool_use_id, event)
    case 'user.custom_tool_result':
      return resultOf(event.custom_tool_use_id, event)
    case 'user.tool_confirmation':
      return {
        kind: 'answer',
        callId: event.tool_use_id,
        allowed: event.result === 'allow',
        text: event.deny_message ?? null,
        queued: event.processed_at === null,
      }
    case 'span.model_request_start':
      return { kind: 'asking' }
    case 'span.model_request_end':
      return {
        kind: 'model',
        askedId: event.model_request_start_id,
        failed: event.is_error === true,
        tokens: {
          input: event.model_usage.input_tokens,
          output: event.model_usage.output_tokens,
          cacheRead: event.model_usage.cache_read_input_tokens,
          cacheWrite: event.model_usage.cache_creation_input_tokens,
        },
      }
    case 'session.error':
      return {
        kind: 'error',
        text: clip(event.error.message),
        retry: event.error.retry_status.type,
      }
    case 'session.status_running':
      return { kind: 'status', status: 'running', reason: null, text: null }
    case 'session.status_idle':
      return {
        kind: 'status',
        status: 'idle',
        reason: event.stop_reason.type,
        text: event.stop_details?.explanation ?? null,
      }
    case 'session.status_rescheduled':
      return { kind: 'status', status: 'rescheduled', reason: null, text: null }
    case 'session.status_terminated':
      return { kind: 'status', status: 'terminated', reason: null, text: null }
    default:
      return { kind: 'note', text: describeNote(event) }
  }
}

type Call = Extract<
  ListableEvent,
  { type: 'agent.tool_use' | 'agent.mcp_tool_use' | 'agent.custom_tool_use' }
>

const describeCall = (call: Call): Description => {
  const common = { kind: 'call' as const, input: describeInput(call.input) }
  if (call.type === 'agent.custom_tool_use')
    return { ...common, tool: call.name, permission: null, reason: null }
  const server = call.type === 'agent.mcp_tool_use' ? `${call.mcp_server_name}/` : ''
  const judged = call.evaluation?.type === 'auto' ? call.evaluation.evaluated_permission : undefined
  return {
    ...common,
    tool: `${server}${call.name}`,
    permission: call.evaluated_permission ?? null,
    reason: judged !== undefined && 'reason_code' in judged ? judged.reason_code : null,
  }
}

type Result = Extract<
  ListableEvent,
  {
    type:
      | 'agent.tool_result'
      | 'user.tool_result'
      | 'agent.mcp_tool_result'
      | 'user.custom_tool_result'
  }
>

const resultOf = (
  callId: string,
  { content = [], is_error }: Pick<Result, 'content' | 'is_error'>,
): Description => ({
  kind: 'result',
  callId,
  text: textOf(content),
  failed: is_error === true,
})

const describeNote = (event: ListableEvent): string => {
  switch (event.type) {
    case 'user.interrupt':
      return 'You interrupted it'
    case 'user.define_outcome':
      return `You want: ${clip(event.description)}`
    case 'agent.thinking':
      return 'It thought about it'
    case 'agent.thread_context_compacted':
      return 'The conversation was shortened to fit the model'
    case 'session.updated':
      return 'The session was changed'
    case 'span.outcome_evaluation_end':
      return `Judged: ${event.result}. ${clip(event.explanation)}`
    default:
      return event.type
  }
}

/** More than fits on a screen; the log has the full text. */
const MOST_CHARACTERS = 20_000

/** Cuts a long text and states how much is missing. */
export const clip = (text: string): string =>
  text.length <= MOST_CHARACTERS
    ? text
    : `${text.slice(0, MOST_CHARACTERS)}\n… ${text.length - MOST_CHARACTERS} more characters`

/** The text of a message or result; other content is named. */
export const textOf = (content: readonly HostedContent[]): string =>
  clip(content.map(describeBlock).join('\n'))

const describeBlock = (block: HostedContent): string => {
  switch (block.type) {
    case 'text':
      return block.text
    case 'search_result':
      return `${block.title}\n${block.source}\n${block.content.map(({ text }) => text).join('\n')}`
    case 'document':
      return block.source.type === 'text' ? block.source.data : `[document ${block.title ?? ''}]`
    default:
      return `[${block.type}]`
  }
}

/** The one field that describes a call completely. */
const MAIN_FIELDS = ['command', 'file_path', 'pattern', 'url', 'query']

/** The input of a tool: `ls -la`, or the fields as JSON. */
export const describeInput = (input: Readonly<Record<string, unknown>>): string => {
  const fields = Object.entries(input)
  const [only] = fields
  if (only === undefined) return ''
  const [name, value] = only
  const saysAll = fields.length === 1 && MAIN_FIELDS.includes(name) && typeof value === 'string'
  return clip(saysAll ? value : JSON.stringify(input, null, 2))
}
