import { type HostEvent, isPending } from '@steward/contract'

/**
 * Whether a call was judged a moment ago, because a host and its hook both ask about the same call.
 */
export type SeenCalls = (event: HostEvent) => boolean

const KEPT_MS = 60_000
const MOST_CALLS = 1000
const PROMPT_CHARS = 2000

export const createSeenCalls = (now: () => number): SeenCalls => {
  const seen = new Map<string, number>()
  return (event) => {
    const call = event.tool_use_id ?? event.prompt?.slice(0, PROMPT_CHARS)
    // Without an id, two calls cannot be identified as the same.
    if (call === undefined) return false
    const key = JSON.stringify([event.host, event.session_id, event.hook_event_name, call])
    const last = seen.get(key)
    if (last !== undefined && isPending(last + KEPT_MS, now(), KEPT_MS)) return true
    seen.delete(key)
    seen.set(key, now())
    for (const oldest of seen.keys()) {
      if (seen.size <= MOST_CALLS) break
      seen.delete(oldest)
    }
    return false
  }
}
