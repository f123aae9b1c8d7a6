import { z } from 'zod'
import type { NewEvent, StoredEvent } from '../../database/stored-event.ts'
import type { StoredSession } from '../../log/stored-session.ts'
import { interruptedHidden, MARKS } from '../internal-events.ts'
import type { LogView } from '../log-view.ts'
import { textBlock } from '../models/model.ts'

const STATUS = 'session.status_'

/**
 * The events of a thread as its own log has them: its status is that of a thread, and the end of a
 * turn is reported to the coordinator.
 */
export const toThreadEvents = (
  { id, body }: StoredSession,
  coordinatorThread: string,
  view: LogView,
  events: readonly NewEvent[],
): NewEvent[] =>
  events.flatMap((event): NewEvent[] => {
    if (!event.type.startsWith(STATUS)) return [event]
    const named = { session_thread_id: id, agent_name: body.agent.name }
    const status: NewEvent = {
      ...event,
      type: `session.thread_status_${event.type.slice(STATUS.length)}`,
      body: { ...event.body, ...named },
    }
    if (event.type !== 'session.status_idle') return [status]
    const text = reportOf(event, events, view)
    const report: NewEvent[] =
      text === undefined
        ? []
        : [
            {
              type: 'agent.thread_message_sent',
              body: { to_session_thread_id: coordinatorThread, content: [{ type: 'text', text }] },
            },
          ]
    if (stopOf(event) !== 'retries_exhausted') return [...report, status]
    // A thread that failed for good is not asked again; the coordinator may begin another one.
    return [...report, status, { type: 'session.thread_status_terminated', body: named }]
  })

const stop = z.object({ stop_reason: z.object({ type: z.string() }) })
const stopOf = ({ body }: NewEvent): string | undefined =>
  stop.safeParse(body).data?.stop_reason.type

const failure = z.object({ error: z.object({ message: z.string() }) })

/** What the coordinator is told about a turn; undefined if the turn goes on or all were stopped. */
const reportOf = (
  idle: NewEvent,
  events: readonly NewEvent[],
  view: LogView,
): string | undefined => {
  const interrupted = interruptedHidden.safeParse(idle.hidden).data?.interrupted
  if (interrupted === 'session') return undefined
  if (interrupted === 'thread') return '[The person interrupted this thread.]'
  switch (stopOf(idle)) {
    case 'end_turn':
      return lastWords(view) ?? '[The agent ended its turn without a message.]'
    case 'refusal':
      return '[The model of this agent refused the task.]'
    case 'retries_exhausted': {
      const errors = events.flatMap(({ body }) => failure.safeParse(body).data?.error.message ?? [])
      return `[This thread has ended: ${errors.at(-1) ?? 'its model could not be asked'}.]`
    }
    default:
      return undefined
  }
}

const lastWords = ({ messages }: LogView): string | undefined => {
  const last = messages.findLast(({ role }) => role === 'assistant')
  const texts = last?.content.flatMap((block) => textBlock.safeParse(block).data?.text ?? [])
  const text = texts?.join('\n').trim()
  return text === '' ? undefined : text
}

/** What the session's log has of a thread's new events. */
export const toSessionEvents = (
  { id, body }: StoredSession,
  events: readonly StoredEvent[],
): NewEvent[] =>
  events.flatMap((event): NewEvent[] => {
    if (event.type.startsWith('session.thread_status_'))
      return [{ type: event.type, body: event.body }]
    if (event.type === 'agent.thread_message_sent')
      return [
        {
          type: 'agent.thread_message_received',
          body: {
            from_session_thread_id: id,
            from_agent_name: body.agent.name,
            content: event.body.content,
          },
        },
      ]
    const { bill, isEstimated, tool } = event.hidden ?? {}
    const used = event.type === 'span.model_request_end' && bill !== undefined
    if (used) return [{ type: MARKS.threadUsed, hidden: { bill, isEstimated }, listed: false }]
    if (event.type === 'agent.tool_result' && WEB_TOOLS.has(String(tool)))
      return [{ type: MARKS.threadUsed, hidden: { tool }, listed: false }]
    return []
  })

const WEB_TOOLS: ReadonlySet<string> = new Set(['web_fetch', 'web_search'])
