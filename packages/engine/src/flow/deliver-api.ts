import type { Fetch } from '@steward/contract'
import { type Deliver, deliveryKey } from './delivery.ts'
import { deliveryError } from './delivery-error.ts'
import { expandHeaders } from './expand-headers.ts'
import type { ReadSecret } from './required-secret.ts'

/** Posts the item as JSON, with a key by which the receiver can deduplicate. */
export const createApiDelivery =
  (fetch: Fetch, secret: ReadSecret): Deliver<'api'> =>
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
    const destination = 'the api destination'
    throw deliveryError({ destination, service: url, response, nowMs: now.getTime() })
  }
