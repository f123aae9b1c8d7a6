import { HOSTED_API } from '@steward/contract'
import { type Handler, opens, reads } from '../api/handler.ts'
import { invalid, notFound } from '../api/refusal.ts'
import type { Tx } from '../database/tx.ts'
import type { StoredSession } from '../log/stored-session.ts'
import { getSession, toHostedThread } from './hosted-session.ts'
import { listEvents } from './list-events.ts'
import type { Streams } from './streams/streams.ts'

/** Every session has only its primary thread. */
export const createThreadHandlers = (streams: Streams): readonly Handler[] => [
  reads(HOSTED_API.listThreads, function* ({ params, query }, { nowMs }) {
    const thread = toHostedThread(yield* getSession(params.session_id), nowMs)
    const isWanted = query.statuses === undefined || query.statuses.includes(thread.status)
    return { data: isWanted ? [thread] : [], next_page: null }
  }),
  reads(HOSTED_API.getThread, function* ({ params }, { nowMs }) {
    return toHostedThread(yield* getThread(params), nowMs)
  }),
  reads(HOSTED_API.archiveThread, function* ({ params }) {
    yield* getThread(params)
    throw invalid('the thread', 'the primary thread is archived with its session')
  }),
  reads(HOSTED_API.listThreadEvents, function* ({ params, query }) {
    const session = yield* getThread(params)
    return yield* listEvents(session.id, { ...query, order: 'asc' })
  }),
  opens(HOSTED_API.streamThread, ({ params, query }, call) =>
    streams.open(call, {
      sessionId: params.session_id,
      deltas: query.event_deltas ?? [],
      after: query.after ?? call.header('last-event-id'),
      check: (threadId) => {
        if (threadId !== params.thread_id) throw notFound('thread', params.thread_id)
      },
    }),
  ),
]

function* getThread(params: { session_id: string; thread_id: string }): Tx<StoredSession> {
  const session = yield* getSession(params.session_id)
  if (session.body.thread_id !== params.thread_id) throw notFound('thread', params.thread_id)
  return session
}
