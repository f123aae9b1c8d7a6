import { HOSTED_API, type HostedThread, StewardError } from '@steward/contract'
import { changes, type Handler, opens, reads } from '../api/handler.ts'
import { knownId } from '../api/known-id.ts'
import { readPage } from '../api/page.ts'
import { invalid, notFound } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import { announce, execute, type Tx } from '../database/tx.ts'
import { appendEvents } from '../log/append-events.ts'
import {
  findSession,
  SESSION_COLUMNS,
  type StoredSession,
  toStoredSession,
} from '../log/stored-session.ts'
import { getSession, toHostedThread } from './hosted-session.ts'
import { listEvents } from './list-events.ts'
import type { Streams } from './streams/streams.ts'

const SOURCE = {
  select: `SELECT ${SESSION_COLUMNS} FROM sessions`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export const createThreadHandlers = (streams: Streams): readonly Handler[] => [
  reads(HOSTED_API.listThreads, function* ({ params, query: { statuses, ...query } }, { nowMs }) {
    const session = yield* getSession(params.session_id)
    const where = createWhere()
    where.add('(id = ? OR parent_id = ?)', session.id, session.id)
    if (statuses !== undefined && statuses.length > 0)
      where.add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
    const page = yield* readPage(SOURCE, where, { ...query, order: 'asc' })
    const data = page.rows.map((row) =>
      toHostedThread(toStoredSession(row), session.body.thread_id, nowMs),
    )
    return { data, next_page: page.next_page }
  }),
  reads(HOSTED_API.getThread, function* ({ params }, { nowMs }) {
    const { session, thread } = yield* getThread(params)
    return toHostedThread(thread, session.body.thread_id, nowMs)
  }),
  changes(HOSTED_API.archiveThread, ({ params }, { nowMs }) => archiveThread(params, nowMs)),
  reads(HOSTED_API.listThreadEvents, function* ({ params, query }) {
    const { thread } = yield* getThread(params)
    return yield* listEvents(thread.id, { ...query, order: 'asc' })
  }),
  opens(HOSTED_API.streamThread, ({ params, query }, call) =>
    streams.open(call, {
      find: function* () {
        return (yield* getThread(params)).thread
      },
      deltas: query.event_deltas ?? [],
      after: query.after ?? call.header('last-event-id'),
    }),
  ),
]

interface ThreadParams {
  session_id: string
  thread_id: string
}

interface Found {
  session: StoredSession
  /** The session itself, if the thread is its primary one. */
  thread: StoredSession
}

/** The thread; throws 404. The session is locked first, as everywhere. */
function* getThread(
  { session_id, thread_id }: ThreadParams,
  hold: 'hold' | 'look' = 'look',
): Tx<Found> {
  const session = yield* getSession(session_id, hold)
  if (session.body.thread_id === thread_id) return { session, thread: session }
  const thread = yield* findSession(knownId('thread', thread_id), hold)
  if (thread?.parentId !== session.id) throw notFound('thread', thread_id)
  return { session, thread }
}

/** Ends a thread for good; its events stay. */
function* archiveThread(params: ThreadParams, nowMs: number): Tx<HostedThread> {
  const { session, thread } = yield* getThread(params, 'hold')
  if (thread.parentId === null)
    throw invalid('the thread', 'the primary thread is archived with its session')
  if (thread.archivedMs !== null) return toHostedThread(thread, session.body.thread_id, nowMs)
  if (thread.summary.status === 'running' || thread.summary.status === 'rescheduling')
    throw new StewardError('session_running', {
      session: thread.id,
      reason: 'interrupt the thread before you archive it',
    })
  const body = { session_thread_id: thread.id, agent_name: thread.body.agent.name }
  const ended = { type: 'session.thread_status_terminated', body }
  if (thread.summary.status !== 'terminated') yield* appendEvents(thread.id, [ended], { nowMs })
  yield* execute(
    `UPDATE sessions SET archived_ms = $2, updated_ms = $2, awake = 0, lease_owner = NULL,
       lease_until_ms = NULL, lease_epoch = lease_epoch + 1 WHERE id = $1`,
    thread.id,
    nowMs,
  )
  if (thread.summary.status !== 'terminated')
    yield* appendEvents(session.id, [ended], { nowMs, wakes: true })
  yield* announce({ sessionId: thread.id, news: { type: 'archived' } })
  const after = yield* getThread(params)
  return toHostedThread(after.thread, session.body.thread_id, nowMs)
}
