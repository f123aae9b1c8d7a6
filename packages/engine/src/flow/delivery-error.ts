import { StewardError } from '@steward/contract'
import { pauseOf } from './rate-limit.ts'

/** Statuses that name a wrong address, key or method rather than a wrong item. */
const WRONG_SETUP = new Set([401, 402, 403, 404, 405, 407, 410, 501])
/** Refusals that a later request may not meet: 409 is an earlier request that is still in work. */
const PASSING = new Set([408, 409, 421, 423, 425, 429])

export interface RefusedDelivery {
  /** `the api destination` */
  destination: string
  /** The receiver, in messages; never an address that is a secret itself. */
  service: string
  response: Pick<Response, 'status' | 'statusText' | 'headers'>
  nowMs: number
  /** What the receiver said, if that helps. */
  detail?: string | undefined
  /** For receivers whose statuses mean something else. */
  isSetup?: boolean | undefined
}

/** What a refused delivery means: wrong setup, a wrong item, or a reason to try again later. */
export const deliveryError = ({
  destination,
  service,
  response,
  nowMs,
  detail,
  isSetup,
}: RefusedDelivery): StewardError => {
  const { status, statusText, headers } = response
  const words = detail?.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_DETAIL)
  const reason = `status ${status} ${statusText}`.trim() + (words ? `: ${words}` : '')
  if (isSetup ?? (WRONG_SETUP.has(status) || (status >= 300 && status < 400))) {
    return new StewardError('not_configured', {
      subject: destination,
      reason: `${service} answered ${reason}`,
    })
  }
  if (status >= 400 && status < 500 && !PASSING.has(status)) {
    return new StewardError('rejected_content', { subject: service, reason })
  }
  const pauseMs = pauseOf(headers, nowMs)
  return new StewardError(status === 429 ? 'rate_limited' : 'upstream_failed', {
    service,
    reason,
    upstreamStatus: status,
    ...(pauseMs === undefined ? {} : { retryAfterSeconds: Math.ceil(pauseMs / 1000) }),
  })
}

const LONGEST_DETAIL = 200
