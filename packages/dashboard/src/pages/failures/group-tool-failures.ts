import type { StewardEvent } from '@steward/contract'
import { actorOf, describeEvent } from '../events/describe-event.ts'

/** The same tool that failed in the same session. */
export interface ToolFailures {
  session: string
  tool: string
  count: number
  /** The last one. */
  at: string
  cause: string
}

/** Failures since then, the last first; `events` must be newest first. */
export const groupToolFailures = (
  events: readonly StewardEvent[],
  sinceMs: number,
): ToolFailures[] => {
  const groups = new Map<string, ToolFailures>()
  for (const event of events) {
    if (!(Date.parse(event.timestamp) >= sinceMs)) continue
    const tool = actorOf(event)
    const key = `${event.session_id}\n${tool}`
    const known = groups.get(key)
    if (known !== undefined) known.count += 1
    else {
      const { session_id: session, timestamp: at } = event
      groups.set(key, { session, tool, count: 1, at, cause: describeEvent(event) })
    }
  }
  return [...groups.values()]
}
