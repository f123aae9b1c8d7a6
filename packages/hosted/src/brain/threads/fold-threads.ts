import { stopReason } from '@steward/contract'
import { z } from 'zod'
import type { StoredEvent } from '../../database/stored-event.ts'
import { MARKS } from '../internal-events.ts'
import type { LogView, ThreadState } from '../log-view.ts'

type Fold = (view: LogView, event: StoredEvent) => void

const named = z.object({ session_thread_id: z.string(), agent_name: z.string() })

const becomes =
  (state: (event: StoredEvent) => Pick<ThreadState, 'state' | 'asks'>): Fold =>
  (view, event) => {
    const { session_thread_id: id, agent_name: agentName } = named.parse(event.body)
    view.threads.set(id, { agentName, ...state(event) })
  }

const STATES: Readonly<Record<string, ThreadState['state']>> = {
  requires_action: 'asks',
  budget_reached: 'paused',
}

const idle = ({ body }: StoredEvent): Pick<ThreadState, 'state' | 'asks'> => {
  const reason = stopReason.parse(body.stop_reason)
  return {
    state: STATES[reason.type] ?? 'idle',
    asks: reason.type === 'requires_action' ? reason.event_ids : [],
  }
}

const busy = () => ({ state: 'busy', asks: [] }) as const

/** What a coordinator's log says about its threads. */
export const threadFolds: Readonly<Record<string, Fold>> = {
  'session.thread_created': becomes(busy),
  'session.thread_status_running': becomes(busy),
  'session.thread_status_rescheduled': becomes(busy),
  'session.thread_status_idle': becomes(idle),
  'session.thread_status_terminated': becomes(() => ({ state: 'ended', asks: [] })),
  // It has work from now on, although it may not have begun.
  'agent.thread_message_sent': (view, { body }) => {
    const thread = view.threads.get(z.string().parse(body.to_session_thread_id))
    if (thread !== undefined) thread.state = 'busy'
  },
  [MARKS.waitsForThreads]: (view) => {
    view.waitsForThreads = true
  },
}

/** An interrupt of the session stops them all; their own logs follow. */
export const stopThreads = (view: LogView): void => {
  for (const thread of view.threads.values()) {
    if (thread.state === 'ended') continue
    thread.state = 'idle'
    thread.asks = []
  }
}
