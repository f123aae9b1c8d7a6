import { LIMITS, type StewardEvent } from '@steward/contract'

/** Newest first, each once by the key that clients go by, at most 200. The first of two wins. */
export const mergeEvents = (...lists: readonly (readonly StewardEvent[])[]): StewardEvent[] => {
  const byKey = new Map<string, StewardEvent>()
  for (const event of lists.flat()) {
    const key = keyOf(event)
    if (!byKey.has(key)) byKey.set(key, event)
  }
  return [...byKey.values()]
    .map((event) => ({ event, time: timeOf(event) }))
    .toSorted((a, b) => b.time - a.time)
    .slice(0, LIMITS.mergedEvents)
    .map(({ event }) => event)
}

/** Two tool calls within a millisecond differ in their `tool_use_id`, where they name it. */
const keyOf = ({ timestamp, session_id, type, source, tool_use_id }: StewardEvent): string =>
  JSON.stringify([timestamp, session_id, type, source, tool_use_id])

/** What has no readable time comes last. */
const timeOf = ({ timestamp }: StewardEvent): number => {
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time
}
