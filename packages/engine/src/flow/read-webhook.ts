import { LIMITS, parseJson, StewardError, unwrap } from '@steward/contract'
import { verifyWebhook } from '../webhook/sign-webhook.ts'
import type { FlowItem } from './item.ts'
import { itemsFromJson } from './json-items.ts'
import type { SourceOf } from './source.ts'

/** Verifies the signature over the exact bytes before anything in the body is trusted. */
export const openWebhook = async (
  source: SourceOf<'webhook'>,
  call: { body: Uint8Array<ArrayBuffer>; signature: string | undefined },
  secret: (name: string) => string | undefined,
): Promise<string> => {
  const key = secret(source.secret)
  if (key === undefined) {
    throw new StewardError('not_configured', {
      subject: 'the webhook',
      reason: `the secret ${source.secret} is not set`,
    })
  }
  unwrap(await verifyWebhook(key, call.body, call.signature))
  return new TextDecoder().decode(call.body)
}

/** The items of a verified body. */
export const readWebhook = (source: SourceOf<'webhook'>, body: string): FlowItem[] => {
  const json = unwrap(parseJson(body, 'the webhook body', LIMITS.jsonDepth))
  return itemsFromJson(json, source, 'the webhook body')
}
