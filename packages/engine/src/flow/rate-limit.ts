import { parseRetryAfter, StewardError } from '@steward/contract'

const LONGEST_PAUSE_MS = 24 * 3_600_000

/** How long a service asks to wait by its headers, in milliseconds; undefined if it does not. */
export const pauseOf = (headers: Headers, nowMs: number): number | undefined => {
  const asked = parseRetryAfter(headers.get('retry-after'), nowMs) ?? resetOf(headers, nowMs)
  return asked === undefined || asked <= 0 ? undefined : Math.min(asked, LONGEST_PAUSE_MS)
}

/** Until the limit is reset, if no request is left: GitHub’s headers and those of the IETF draft. */
const resetOf = (headers: Headers, nowMs: number): number | undefined => {
  const [, left, seconds] = /;\s*r=(\d+)[^,]*;\s*t=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? []
  const get = (name: string) =>
    headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`)
  if (Number(left ?? get('remaining') ?? Number.NaN) !== 0) return undefined
  const reset = Number(seconds ?? get('reset') ?? Number.NaN)
  if (!Number.isFinite(reset)) return undefined
  // A number this large is a time and not a duration.
  return reset > 1e9 ? reset * 1000 - nowMs : reset * 1000
}

/** GitHub answers 403 when the limit is used up. */
export const isRateLimited = ({ status, headers }: Response, nowMs: number): boolean =>
  status === 429 || (status === 403 && pauseOf(headers, nowMs) !== undefined)

/** The error of a service that asked to be left alone until then. */
export const pausedUntil = (service: string, untilMs: number, nowMs: number): StewardError =>
  new StewardError('rate_limited', {
    service,
    reason: `retry later, after ${new Date(untilMs).toISOString()}`,
    retryAfterSeconds: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)),
  })
