import { API, type LiveTopic } from '@steward/contract'
import { eventStream } from '@steward/http'
import type { StartTimer } from '@steward/platform'
import type { Bus, Topic } from '../../bus/bus.ts'
import { type DaemonModule, handle } from '../../module.ts'

export interface LiveModulePorts {
  bus: Bus
  setTimer: StartTimer
}

/** Batches a burst of changes. */
const GATHER_MS = 200

/** The live topics that a bus message outdates; `live.changed` names its own. */
const MADE_OLD: readonly (readonly [Exclude<Topic, 'live.changed'>, LiveTopic])[] = [
  ['events.arrived', 'events'],
  ['work-state.changed', 'sessions'],
  ['knowledge.changed', 'knowledge'],
  ['settings.changed', 'settings'],
]

/** Tells pages which topics changed, so that they reload them: `GET /api/live`. */
export const createLiveModule = ({ bus, setTimer }: LiveModulePorts): DaemonModule => {
  const listeners = new Set<(topics: readonly LiveTopic[]) => void>()
  const endings: Array<() => void> = []
  const gathered = new Set<LiveTopic>()
  let cancel: (() => void) | undefined

  const tell = (): void => {
    cancel = undefined
    const topics = [...gathered].sort()
    gathered.clear()
    for (const listener of listeners) listener(topics)
  }
  const gather = (topics: readonly LiveTopic[]): void => {
    if (listeners.size === 0) return
    for (const topic of topics) gathered.add(topic)
    cancel ??= setTimer(GATHER_MS, tell)
  }

  return {
    name: 'live',
    handlers: [
      handle(API.streamChanges, (_, call) =>
        eventStream(call, (sink) => {
          const listener = (topics: readonly LiveTopic[]): void => {
            sink.send({ event: 'changed', data: topics })
          }
          listeners.add(listener)
          return () => {
            listeners.delete(listener)
          }
        }),
      ),
    ],
    start: async () => {
      for (const [topic, old] of MADE_OLD) {
        endings.push(bus.subscribe(topic, () => gather([old])))
      }
      endings.push(bus.subscribe('live.changed', ({ topics }) => gather(topics)))
    },
    stop: async () => {
      cancel?.()
      for (const end of endings.splice(0)) end()
    },
    health: () => ({ status: 'ok', pages: listeners.size }),
  }
}
