import { HOSTED_API } from '@steward/contract'
import { changes, type Handler, opens, reads } from '../api/handler.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { toWireEvent } from '../database/stored-event.ts'
import { findSession } from '../log/stored-session.ts'
import { offerWork } from '../work/offer-work.ts'
import type { WorkBell } from '../work/work-bell.ts'
import { checkEvents } from './check-events.ts'
import { getSession } from './hosted-session.ts'
import { listEvents } from './list-events.ts'
import type { Streams } from './streams/streams.ts'
import { takeEvents } from './take-events.ts'

export interface EventHandlerPorts {
  database: HostedDatabase
  streams: Streams
  bell: WorkBell
}

export const createEventHandlers = ({
  database,
  streams,
  bell,
}: EventHandlerPorts): readonly Handler[] => [
  reads(HOSTED_API.listEvents, function* ({ params, query }) {
    const session = yield* getSession(params.session_id)
    return yield* listEvents(session.id, query)
  }),
  changes(
    HOSTED_API.sendEvents,
    function* ({ params, body }, { nowMs }) {
      const session = yield* getSession(params.session_id, 'hold')
      yield* checkEvents(session, body.events, nowMs)
      const events = yield* takeEvents(session, body.events, nowMs)
      yield* offerWork(session, nowMs)
      return { data: events.map(toWireEvent) }
    },
    async ({ params }) => {
      if (!bell.isAwaited()) return
      const session = await database.read(() => findSession(params.session_id))
      if (session !== undefined) bell.ring(session.environmentId)
    },
  ),
  opens(HOSTED_API.streamEvents, ({ params, query }, call) =>
    streams.open(call, {
      sessionId: params.session_id,
      find: () => getSession(params.session_id),
      deltas: query.event_deltas ?? [],
      after: query.after ?? call.header('last-event-id'),
    }),
  ),
]
