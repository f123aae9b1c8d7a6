import { type Fetch, parseRetryAfter, StewardError } from '@steward/contract'
import { type Deliver, deliveryKey } from './delivery.ts'
import { expandHeaders } from './expand-headers.ts'

/** Posts the item as JSON, with a key by which the receiver can deduplicate. */
export const createApiDelivery =
  (fetch: Fetch, secret: (name: string) => string | undefined): Deliver<'api'> =>
  async ({ url, method, headers = {} }, delivery) => {
    const { flow, item, output, now } = delivery
    const key = deliveryKey(delivery)
    const response = await fetch(url, {
      method,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...expandHeaders(headers, secret),
      },
      body: JSON.stringify({ flow: flow.name, item: item.id, title: item.title, output }),
    })
    await response.body?.cancel()
    if (response.ok) return { url, status: response.status, key }
    throw errorOf(url, response, now.getTime())
  }

/** Statuses that name a wrong address, key or method rather than a wrong item. */
const WRONG_SETUP = new Set([401, 402, 403, 404, 405, 407, 410, 501])
/** Refusals that a later request may not meet: 409 is an earlier request that is still in work. */
const PASSING = new Set([408, 409, 421, 423, 425, 429])

const errorOf = (url: string, response: Response, nowMs: number): StewardError => {
  const { status, statusText, headers } = response
  const reason = `status ${status} ${statusText}`.trim()
  if (WRONG_SETUP.has(status) || (status >= 300 && status < 400)) {
    const subject = 'the api destination'
    return new StewardError('not_configured', { subject, reason: `${url} answered ${reason}` })
  }
  if (status >= 400 && status < 500 && !PASSING.has(status)) {
    return new StewardError('rejected_content', { subject: url, reason })
  }
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), nowMs)
  return new StewardError(status === 429 ? 'rate_limited' : 'upstream_failed', {
    service: url,
    reason,
    upstreamStatus: status,
    ...(retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
  })
}
