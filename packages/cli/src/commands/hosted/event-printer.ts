import type { Sink } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { describeCall, isToolCall } from './tool-call.ts'
import type { StreamedEvent } from './types.ts'

export interface EventPrinter {
  print: (event: StreamedEvent) => void
}

/** Prints events as they arrive, and messages while they are written. */
export const createEventPrinter = (out: Sink, json: boolean): EventPrinter => {
  if (json) return { print: (event) => printJson({ ...out, isTerminal: false }, event) }
  const { paint } = out
  let open: { id: string; shown: string } | undefined

  const begin = (id: string): void => {
    endPreview()
    out.write(agentLabel(paint))
    open = { id, shown: '' }
  }
  const add = (id: string, text: string): void => {
    if (open?.id !== id) return
    const clean = cleanText(text)
    out.write(clean)
    open.shown += clean
  }
  const endPreview = (): void => {
    if (open !== undefined) out.write('\n')
    open = undefined
  }

  return {
    print: (event) => {
      if (event.type === 'event_start') {
        if (event.event.type === 'agent.message') begin(event.event.id)
        return
      }
      if (event.type === 'event_delta') {
        const { content } = event.delta
        if (content.type === 'text') add(event.event_id, content.text)
        return
      }
      if (event.type === 'agent.message' && event.id === open?.id) {
        const whole = textOf(event.content)
        // Previews are a prefix of the message; if one is not, the message itself counts.
        if (whole.startsWith(open.shown)) out.write(whole.slice(open.shown.length))
        else out.write(`\n${agentLabel(paint)}${whole}`)
        endPreview()
        return
      }
      const text = renderEvent(event, paint)
      // Without a final event, the end of the model call ends the preview.
      if (text !== undefined || event.type === 'span.model_request_end') endPreview()
      if (text !== undefined) out.write(text)
    },
  }
}

/** Output lines shown per tool call; the log has them all. */
const MOST_LINES = 30

/** An event in readable form; undefined for events that only count time and tokens. */
const renderEvent = (event: StreamedEvent, paint: Paint): string | undefined => {
  if (isToolCall(event)) {
    const denied = 'evaluated_permission' in event && event.evaluated_permission === 'deny'
    return `${paint.cyan('tool:')} ${describeCall(event)}${denied ? paint.red(' refused') : ''}\n`
  }
  switch (event.type) {
    case 'user.message':
    case 'system.message':
      return `${paint.bold(event.type === 'user.message' ? 'you:' : 'system:')} ${textOf(event.content)}\n`
    case 'agent.message':
      return `${agentLabel(paint)}${textOf(event.content)}\n`
    case 'agent.tool_result':
    case 'agent.mcp_tool_result':
    case 'user.tool_result':
    case 'user.custom_tool_result':
      return renderResult(textOf(event.content ?? []), event.is_error === true, paint)
    case 'user.tool_confirmation':
      return `${paint.bold('you:')} ${event.result === 'allow' ? 'allowed' : 'refused'} ${event.tool_use_id}\n`
    case 'user.interrupt':
      return `${paint.bold('you:')} interrupted\n`
    case 'user.define_outcome':
      return `${paint.bold('you:')} want: ${cleanText(event.description)}\n`
    case 'session.error':
      return `${paint.red('error:')} ${cleanText(event.error.message)} (${event.error.retry_status.type})\n`
    case 'session.status_idle':
      return `${paint.dim(`-- idle: ${IDLE[event.stop_reason.type]}`)}\n`
    case 'session.status_rescheduled':
      return `${paint.dim('-- will be tried again')}\n`
    case 'session.status_terminated':
      return `${paint.red('-- terminated')}\n`
    case 'session.deleted':
      return `${paint.red('-- deleted')}\n`
    case 'agent.thread_context_compacted':
      return `${paint.dim('-- the conversation was shortened to fit the model')}\n`
    default:
      return undefined
  }
}

const agentLabel = (paint: Paint): string => `${paint.green('agent:')} `

const IDLE = {
  end_turn: 'its turn is done',
  requires_action: 'it waits for you',
  retries_exhausted: 'the model could not be reached; the next message starts again',
  budget_reached: 'its budget is used up',
  refusal: 'the model refused',
} as const

/** The text of a message or result; other content is named. */
const textOf = (content: readonly { type: string }[]): string =>
  content
    .map((block) =>
      'text' in block && typeof block.text === 'string' ? cleanText(block.text) : `[${block.type}]`,
    )
    .join('\n')

const renderResult = (text: string, failed: boolean, paint: Paint): string => {
  const lines = (text.trim() === '' ? '(no output)' : text.replace(/\n+$/, '')).split('\n')
  const shown = lines.slice(0, MOST_LINES).map((line) => `  ${line}`)
  if (lines.length > MOST_LINES) shown.push(`  … ${lines.length - MOST_LINES} more lines`)
  const body = `${shown.join('\n')}\n`
  return failed ? paint.red(body) : paint.dim(body)
}
