import { type Route, StewardError } from '@steward/contract'

const MINUTE_MS = 60_000

/**
 * Limits calls per route and minute over all callers together, so that callers cannot evade it by
 * varying something. Throws if exceeded.
 */
export const createRateLimits = (now: () => number) => {
  const recent = new Map<Route, number[]>()
  return {
    check: (route: Route): void => {
      const limit = route.perMinute
      if (limit === undefined) return
      const at = now()
      const calls = (recent.get(route) ?? []).filter((time) => at - time < MINUTE_MS && time <= at)
      const [oldest] = calls
      if (calls.length >= limit && oldest !== undefined) {
        recent.set(route, calls)
        const retryAfterSeconds = Math.ceil((oldest + MINUTE_MS - at) / 1000)
        const subject = `${route.method} ${route.path}`
        throw new StewardError('too_many_requests', { subject, limit, retryAfterSeconds })
      }
      recent.set(route, [...calls, at])
    },
  }
}
export type RateLimits = ReturnType<typeof createRateLimits>
