import type { Fetch } from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'
import { signS3Request } from '../s3/sign-s3-request.ts'
import { bodyOf, type Deliver, deliveryKey, entryOf } from './delivery.ts'
import { deliveryError } from './delivery-error.ts'
import { type ReadSecret, requiredSecret } from './required-secret.ts'

const DESTINATION = 'the s3 destination'

/** One object per item, under a name that stays the same, so that a repetition replaces it. */
export const createS3Delivery =
  (fetch: Fetch, secret: ReadSecret): Deliver<'s3'> =>
  async (destination, delivery) => {
    const { endpoint, bucket, region, prefix, format } = destination
    const key = deliveryKey(delivery)
    const isMarkdown = format === 'markdown'
    const name = `${prefix}${key}.${isMarkdown ? 'md' : 'json'}`
    const body = isMarkdown
      ? `${bodyOf(delivery).trim()}\n`
      : JSON.stringify(entryOf(delivery, key))
    const { url, headers } = await signS3Request(
      { endpoint, bucket, region },
      {
        method: 'PUT',
        object: name,
        bodyHash: sha256Hex(body),
        headers: {
          'content-type': isMarkdown ? 'text/markdown; charset=utf-8' : 'application/json',
        },
        accessKeyId: requiredSecret(destination.accessKeyId, secret, DESTINATION),
        secretAccessKey: requiredSecret(destination.secretAccessKey, secret, DESTINATION),
        now: delivery.now,
      },
    )
    const response = await fetch(url, { method: 'PUT', headers, body })
    const answer = await response.text()
    if (response.ok) return { bucket, object: name, etag: response.headers.get('etag') }
    const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(answer)?.[1]
    throw deliveryError({
      destination: DESTINATION,
      service: `${new URL(endpoint).host}/${bucket}`,
      response,
      nowMs: delivery.now.getTime(),
      detail: code,
      // It also answers 400 for a wrong region or a key that is not one.
      ...(response.status === 400 ? { isSetup: !OF_THE_ITEM.has(code ?? '') } : {}),
    })
  }

const OF_THE_ITEM: ReadonlySet<string> = new Set(['EntityTooLarge', 'KeyTooLongError'])
