import { type Fetch, StewardError } from '@steward/contract'
import { type Deliver, deliveryKey } from './delivery.ts'
import { expandHeaders } from './expand-headers.ts'

/** Posts the item as JSON, with a key by which the receiver can deduplicate. */
export const createApiDelivery =
  (fetch: Fetch, secret: (name: string) => string | undefined): Deliver<'api'> =>
  async ({ url, method, headers = {} }, delivery) => {
    const { flow, item, output } = delivery
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
    throw new StewardError(response.status === 429 ? 'rate_limited' : 'upstream_failed', {
      service: url,
      reason: `status ${response.status} ${response.statusText}`.trim(),
    })
  }
