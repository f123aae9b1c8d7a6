import { parseJson, StewardError } from '@steward/contract'
import { verifyWebhook } from '../webhook/sign-webhook.ts'
import type { FlowItem } from './item.ts'
import { itemsFromJson } from './json-items.ts'
import type { SourceOf } from './source.ts'

/** Checks the signature over the exact bytes, before anything of the body is believed. */
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
  const verified = await verifyWebhook(key, call.body, call.signature)
  if (!verified.ok) throw verified.error
  return new TextDecoder().decode(call.body)
}

/** The items of a verified body. */
export const readWebhook = (source: SourceOf<'webhook'>, body: string): FlowItem[] => {
  const json = parseJson(body, 'the webhook body')
  if (!json.ok) throw json.error
  return itemsFromJson(json.value, source, 'the webhook body')
}
