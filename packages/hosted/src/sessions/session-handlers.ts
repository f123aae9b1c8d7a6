import { HOSTED_API } from '@steward/contract'
import { addRange } from '../api/add-range.ts'
import { changes, type Handler, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { createWhere } from '../api/where.ts'
import type { WorkBell } from '../work/work-bell.ts'
import { createSession, type SessionPorts } from './create-session.ts'
import { archiveSession, deleteSession } from './end-session.ts'
import { getSession, toHostedSession } from './hosted-session.ts'
import { SESSION_COLUMNS, toStoredSession } from './stored-session.ts'
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
    ({ body }, { nowMs }) => createSession(body, ports, nowMs),
    async ({ body }) => ports.bell.ring(body.environment_id),
  ),
  changes(HOSTED_API.updateSession, ({ params, body }, { nowMs }) =>
    updateSession(params.session_id, body, ports, nowMs),
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
    // There are neither deployments nor memory stores here, so that no session has one.
    if (query.deployment_id !== undefined || query.memory_store_id !== undefined)
      return { data: [], next_page: null, prev_page: null }
    const where = createWhere()
    if (!query.include_archived) where.add('archived_ms IS NULL')
    if (agent_id !== undefined) {
      where.add('agent_id = ?', agent_id.replaceAll('\0', ''))
      if (agent_version !== undefined) where.add('agent_version = ?', agent_version)
    }
    if (statuses !== undefined && statuses.length > 0)
      where.add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
    addRange(where, 'created_ms', query.created_at)
    const page = yield* readPage(SOURCE, where, query)
    return {
      data: page.rows.map((row) => toHostedSession(toStoredSession(row), nowMs)),
      next_page: page.next_page,
      prev_page: page.prev_page,
    }
  }),
]
