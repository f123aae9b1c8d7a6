import { type ClientEvent, StewardError } from '@steward/contract'
import { invalid } from '../api/refusal.ts'
import { isOverBudget } from '../brain/cost/session-cost.ts'
import { EVENT_COLUMNS, type StoredEvent, toStoredEvent } from '../database/stored-event.ts'
import { one, type Tx } from '../database/tx.ts'
import { checkFiles } from '../files/check-files.ts'
import { findSession, type StoredSession } from '../log/stored-session.ts'

/** Events that settle a pending call; a session at its budget accepts only these. */
const SETTLING: ReadonlySet<ClientEvent['type']> = new Set([
  'user.interrupt',
  'user.tool_confirmation',
  'user.custom_tool_result',
  'user.tool_result',
])

/**
 * Refuses events that are invalid in the session's current state; their form was validated before.
 */
export function* checkEvents(
  session: StoredSession,
  events: readonly ClientEvent[],
  nowMs: number,
): Tx<void> {
  const { id, body, summary } = session
  if (session.archivedMs !== null) throw new StewardError('archived', { what: 'session', name: id })
  if (summary.status === 'terminated') throw invalid(`session ${id}`, 'it has ended')
  const isOver = isOverBudget(summary, body.budget, nowMs)
  for (const [index, event] of events.entries()) {
    const place = `events[${index}]`
    if (isOver && !SETTLING.has(event.type))
      throw invalid(place, 'the session has reached its budget', 'budget_reached')
    yield* checkReply(session, event, place)
  }
  yield* checkFiles(events.flatMap(filesOf), nowMs)
}

function* checkReply(session: StoredSession, event: ClientEvent, place: string): Tx<void> {
  if (event.type === 'user.interrupt') {
    const thread = event.session_thread_id
    if (!thread || thread === session.body.thread_id) return
    const child = ID.test(thread) ? yield* findSession(thread) : undefined
    if (child?.parentId !== session.id)
      throw invalid(`${place}.session_thread_id`, 'the session has no such thread')
  }
  if (event.type === 'user.tool_confirmation') {
    const call = yield* findEvent(session.id, event.tool_use_id)
    if (call?.type !== 'agent.tool_use' && call?.type !== 'agent.mcp_tool_use')
      throw invalid(
        `${place}.tool_use_id`,
        'it is not the id of an agent.tool_use or agent.mcp_tool_use',
      )
    if (call.body.evaluated_permission !== 'ask')
      throw invalid(`${place}.tool_use_id`, 'the call does not wait for a confirmation')
  }
  if (event.type === 'user.custom_tool_result') {
    const call = yield* findEvent(session.id, event.custom_tool_use_id)
    if (call?.type !== 'agent.custom_tool_use')
      throw invalid(`${place}.custom_tool_use_id`, 'it is not the id of an agent.custom_tool_use')
  }
  if (event.type === 'user.tool_result') {
    if (session.body.environment.type !== 'self_hosted')
      throw invalid(place, 'user.tool_result is for sessions in a self_hosted environment')
    const call = yield* findEvent(session.id, event.tool_use_id)
    if (call?.type !== 'agent.tool_use')
      throw invalid(`${place}.tool_use_id`, 'it is not the id of an agent.tool_use')
  }
}

const ID = /^[\w-]+$/

function* findEvent(sessionId: string, id: string): Tx<StoredEvent | undefined> {
  if (!ID.test(id)) return undefined
  const row = yield* one(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = $1 AND id = $2`,
    sessionId,
    id,
  )
  return row === undefined ? undefined : toStoredEvent(row)
}

/** Files that an event refers to. */
const filesOf = (event: ClientEvent): readonly string[] => {
  if (event.type === 'user.define_outcome')
    return event.rubric.type === 'file' ? [event.rubric.file_id] : []
  if (!('content' in event) || event.content === undefined) return []
  return event.content.flatMap((block) =>
    (block.type === 'image' || block.type === 'document') && block.source.type === 'file'
      ? [block.source.file_id]
      : [],
  )
}
