import { HOSTED_API } from '@steward/contract'
import { changes, type Handler, opens, reads } from '../api/handler.ts'
import { toWireEvent } from '../log/stored-event.ts'
import { offerWork } from '../work/offer-work.ts'
import { checkEvents } from './check-events.ts'
import { getSession } from './hosted-session.ts'
import { listEvents } from './list-events.ts'
import type { Streams } from './streams/streams.ts'
import { takeEvents } from './take-events.ts'

export const createEventHandlers = (streams: Streams): readonly Handler[] => [
  reads(HOSTED_API.listEvents, function* ({ params, query }) {
    const session = yield* getSession(params.session_id)
    return yield* listEvents(session.id, query)
  }),
  changes(HOSTED_API.sendEvents, function* ({ params, body }, { nowMs }) {
    const session = yield* getSession(params.session_id, 'hold')
    yield* checkEvents(session, body.events, nowMs)
    const events = yield* takeEvents(session, body.events, nowMs)
    yield* offerWork(session, nowMs)
    return { data: events.map(toWireEvent) }
  }),
  opens(HOSTED_API.streamEvents, ({ params, query }, call) =>
    streams.open(call, {
      sessionId: params.session_id,
      deltas: query.event_deltas ?? [],
      after: query.after ?? call.header('last-event-id'),
    }),
  ),
]
