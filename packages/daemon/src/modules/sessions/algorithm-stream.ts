import type { Result, WorkState } from '@steward/contract'
import { type EventSink, eventStream } from '@steward/http'
import type { Call } from '../../module.ts'
import type { SessionsPorts } from './ports.ts'

export interface AlgorithmStreamPorts extends Pick<SessionsPorts, 'now' | 'setTimer'> {
  current: () => Result<WorkState>
  /** The current answer. */
  describe: (state: WorkState) => string
  /** When it becomes outdated without a change. */
  untilMs: () => number
}

/** The longest delay of a system timer. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** Sends the view to all listeners when it changes, including changes caused by time alone. */
export const createAlgorithmStream = ({
  now,
  setTimer,
  current,
  describe,
  untilMs,
}: AlgorithmStreamPorts) => {
  const sinks = new Set<EventSink>()
  let sent = ''
  let endTimer = (): void => undefined

  const event = () => {
    const state = current()
    if (state.ok) return { data: describe(state.value), latest: true }
    const { path } = state.error.details
    return { event: 'unavailable', data: { ...state.error.toBody(), path }, latest: true }
  }
  const textOf = (data: unknown): string => (typeof data === 'string' ? data : JSON.stringify(data))

  const schedule = (): void => {
    endTimer()
    const waitMs = untilMs() - now()
    if (sinks.size > 0 && Number.isFinite(waitMs)) {
      endTimer = setTimer(Math.min(Math.max(waitMs, 0), LONGEST_WAIT_MS), refresh)
    }
  }
  const refresh = (): void => {
    if (sinks.size === 0) return
    const next = event()
    const text = textOf(next.data)
    if (text !== sent) {
      sent = text
      for (const sink of sinks) sink.send(next)
    }
    schedule()
  }

  return {
    open: (call: Call): Response =>
      eventStream(
        call,
        (sink) => {
          refresh()
          sinks.add(sink)
          const first = event()
          sent = textOf(first.data)
          sink.send(first)
          schedule()
          return () => {
            sinks.delete(sink)
            schedule()
          }
        },
        { setTimer },
      ),
    refresh,
    clients: () => sinks.size,
    stop: () => endTimer(),
  }
}
