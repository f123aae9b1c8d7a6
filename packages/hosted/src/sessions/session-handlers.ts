import { HOSTED_API, type HostedSession, StewardError } from '@steward/contract'
import { addRange } from '../api/add-range.ts'
import { changes, type Handler, reads } from '../api/handler.ts'
import { knownId } from '../api/known-id.ts'
import { readPage } from '../api/page.ts'
import { createWhere } from '../api/where.ts'
import { announce, execute, type Tx } from '../database/tx.ts'
import {
  listChildren,
  SESSION_COLUMNS,
  type StoredSession,
  toStoredSession,
} from '../log/stored-session.ts'
import { dropObjects } from '../snapshots/bucket/stored-object.ts'
import { stopWorkOf } from '../work/stop-work.ts'
import type { WorkBell } from '../work/work-bell.ts'
import { createSession, type SessionPorts } from './create-session.ts'
import { getSession, toHostedSession } from './hosted-session.ts'
import { updateSession } from './update-session.ts'
import { wakeSession } from './wake-session.ts'

const SOURCE = {
  select: `SELECT ${SESSION_COLUMNS} FROM sessions`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export interface SessionHandlerPorts extends SessionPorts {
  bell: WorkBell
}

export const createSessionHandlers = (ports: SessionHandlerPorts): readonly Handler[] => [
  changes(
    HOSTED_API.createSession,
    ({ body }, call) => createSession(body, ports, call),
    async ({ body }) => ports.bell.ring(body.environment_id),
  ),
  changes(HOSTED_API.updateSession, ({ params, body }, call) =>
    updateSession(params.session_id, body, ports, call),
  ),
  changes(HOSTED_API.archiveSession, ({ params }, { nowMs }) =>
    archiveSession(params.session_id, nowMs),
  ),
  changes(HOSTED_API.deleteSession, ({ params }, { nowMs }) =>
    deleteSession(params.session_id, nowMs),
  ),
  changes(HOSTED_API.wakeSession, ({ params }, { nowMs }) => wakeSession(params.session_id, nowMs)),
  reads(HOSTED_API.getHostedSession, function* ({ params }, { nowMs }) {
    return toHostedSession(yield* getSession(params.session_id), nowMs)
  }),
  reads(HOSTED_API.listSessions, function* ({ query }, { nowMs }) {
    const { agent_id, agent_version, statuses } = query
    const where = createWhere()
    where.add('parent_id IS NULL')
    if (query.deployment_id !== undefined)
      where.add('deployment_id = ?', knownId('deployment', query.deployment_id))
    if (!query.include_archived) where.add('archived_ms IS NULL')
    if (agent_id !== undefined) {
      where.add('agent_id = ?', agent_id.replaceAll('\0', ''))
      if (agent_version !== undefined) where.add('agent_version = ?', agent_version)
    }
    if (statuses !== undefined && statuses.length > 0)
      where.add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
    if (query.memory_store_id !== undefined) {
      // Quotes in other texts are escaped, so this is the field of a resource.
      where.add(
        'body LIKE ?',
        `%"memory_store_id":"${knownId('memory store', query.memory_store_id)}"%`,
      )
    }
    addRange(where, 'created_ms', query.created_at)
    const page = yield* readPage(SOURCE, where, query)
    return {
      data: page.rows.map((row) => toHostedSession(toStoredSession(row), nowMs)),
      next_page: page.next_page,
      prev_page: page.prev_page,
    }
  }),
]

/** Makes the session read-only; its sandbox ends, its files stay. */
function* archiveSession(id: string, nowMs: number): Tx<HostedSession> {
  const session = yield* getSession(id, 'hold')
  if (session.archivedMs !== null) return toHostedSession(session, nowMs)
  const threads = yield* listChildren(id)
  for (const each of [session, ...threads]) checkStill(each)
  // A brain may have claimed the session without starting; this revokes its right to write.
  yield* execute(
    `UPDATE sessions SET archived_ms = $2, updated_ms = $2, awake = 0, lease_owner = NULL,
       lease_until_ms = NULL, lease_epoch = lease_epoch + 1 WHERE id = $1 OR parent_id = $1`,
    id,
    nowMs,
  )
  yield* stopWorkOf(id, nowMs)
  for (const { id: sessionId } of [session, ...threads])
    yield* announce({ sessionId, news: { type: 'archived' } })
  return toHostedSession({ ...session, archivedMs: nowMs, updatedMs: nowMs }, nowMs)
}

/** Deletes the session with its events, files and tokens; ends its open streams and sandbox. */
function* deleteSession(id: string, nowMs: number): Tx<{ id: string; type: 'session_deleted' }> {
  const session = yield* getSession(id, 'hold')
  const threads = yield* listChildren(id)
  for (const each of [session, ...threads]) checkStill(each)
  yield* stopWorkOf(id, nowMs)
  yield* execute('DELETE FROM files WHERE session_id = $1', id)
  yield* dropObjects(id, nowMs)
  yield* execute('DELETE FROM sessions WHERE id = $1', id)
  for (const { id: sessionId } of [session, ...threads])
    yield* announce({ sessionId, news: { type: 'deleted' } })
  return { id, type: 'session_deleted' }
}

const checkStill = ({ id, summary }: StoredSession): void => {
  if (summary.status === 'running')
    throw new StewardError('session_running', {
      session: id,
      reason: 'it cannot be archived or deleted now',
    })
}
