import type { Fleet } from './fleet.ts'
import type { SessionEvent } from './follow-plan.ts'

/** How long sessions with an interrupted model call were paused: from the kill to the next call. */
export const timesToResume = (
  events: readonly SessionEvent[],
  killed: Fleet['killed'],
): readonly number[] => {
  const calls = events.filter(({ type }) => type.startsWith('span.model_request_'))
  return calls.flatMap((event, place) => {
    if (event.type !== 'span.model_request_end' || event.is_error !== true) return []
    const next = calls[place + 1]
    if (next?.type !== 'span.model_request_start') return []
    const againMs = Date.parse(next.processed_at)
    const kill = killed.findLast(({ kind, atMs }) => kind === 'brain' && atMs <= againMs)
    return kill === undefined ? [] : [againMs - kill.atMs]
  })
}

/** Summarises durations in milliseconds as text. */
export const describeTimes = (times: readonly number[]): string => {
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0
  return sorted.length === 0
    ? 'none'
    : `${sorted.length}, half within ${at(0.5)} ms, all within ${at(1)} ms`
}
