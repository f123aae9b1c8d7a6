import type { ClientEvent } from '@steward/contract'
import { one, type Tx } from '../database/tx.ts'
import { listChildren, type StoredSession } from '../log/stored-session.ts'

/** Where a client's event goes. */
export interface Route {
  /** Whether the coordinator handles it. */
  own: boolean
  /** Other threads that do. */
  threads: readonly string[]
  /** The other thread that it is for alone. */
  named: string | null
}

const OWN: Route = { own: true, threads: [], named: null }

const toOne = (thread: string): Route => ({ own: false, threads: [thread], named: thread })

/** A reply belongs to the thread of the call that it answers, an interrupt to one thread or to all. */
export function* findThreads(session: StoredSession, event: ClientEvent): Tx<Route> {
  if (event.type === 'user.interrupt') {
    const { session_thread_id: thread } = event
    if (thread === session.body.thread_id) return OWN
    if (thread) return toOne(thread)
    if (session.body.agent.multiagent === null) return OWN
    const children = yield* listChildren(session.id)
    const open = children.filter(({ archivedMs }) => archivedMs === null).map(({ id }) => id)
    return { own: true, threads: open, named: null }
  }
  const answered =
    event.type === 'user.custom_tool_result'
      ? event.custom_tool_use_id
      : event.type === 'user.tool_confirmation' || event.type === 'user.tool_result'
        ? event.tool_use_id
        : undefined
  if (answered === undefined || session.body.agent.multiagent === null) return OWN
  const call = yield* one(
    'SELECT body FROM events WHERE session_id = $1 AND id = $2',
    session.id,
    answered,
  )
  const body: unknown = JSON.parse(String(call?.body ?? '{}'))
  const { session_thread_id: thread } = Object(body)
  return typeof thread === 'string' ? toOne(thread) : OWN
}
