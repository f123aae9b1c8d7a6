import { type Fetch, unwrap } from '@steward/contract'
import { bytesOf } from '../webhook/hmac.ts'
import { signRequest } from '../webhook/schemes.ts'
import { type Deliver, deliveryKey } from './delivery.ts'
import { deliveryError } from './delivery-error.ts'
import { expandHeaders } from './expand-headers.ts'
import { type ReadSecret, requiredSecret } from './required-secret.ts'

const DESTINATION = 'the webhook destination'

/**
 * Posts the item as an event of Standard Webhooks. The id is the same for every attempt, so the
 * receiver can deduplicate.
 */
export const createWebhookDelivery =
  (fetch: Fetch, secret: ReadSecret): Deliver<'webhook'> =>
  async ({ url, secret: name, headers = {} }, delivery) => {
    const { flow, item, output, now } = delivery
    const key = deliveryKey(delivery)
    const body = JSON.stringify({
      type: 'flow.item',
      timestamp: now.toISOString(),
      data: { flow: flow.name, item: item.id, title: item.title, output },
    })
    const parts = { body: bytesOf(body), id: key, nowMs: now.getTime() }
    const signed =
      name === undefined
        ? { 'webhook-id': key }
        : unwrap(
            await signRequest(
              { scheme: 'standard' },
              requiredSecret(name, secret, DESTINATION),
              parts,
            ),
          )
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': key,
        ...expandHeaders(headers, secret),
        ...signed,
      },
      body,
    })
    await response.body?.cancel()
    if (response.ok) return { url, status: response.status, key }
    throw deliveryError({
      destination: DESTINATION,
      service: url,
      response,
      nowMs: now.getTime(),
    })
  }
