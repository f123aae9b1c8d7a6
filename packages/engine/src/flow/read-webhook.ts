import {
  isJsonObject,
  LIMITS,
  parseJson,
  StewardError,
  toStewardError,
  unwrap,
} from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'
import { HMAC_ID_HEADER, type SignedRequest, verifyRequest } from '../webhook/schemes.ts'
import type { FlowItem } from './item.ts'
import { itemsFromJson } from './json-items.ts'
import type { SourceOf } from './source.ts'

/** A verified call. */
export interface WebhookDelivery {
  /** Senders repeat a delivery under the same id. */
  id: string
  /** JSON. */
  body: string
  /** Set if the id is not signed: the same signature under another id is a replay. */
  fingerprint?: string
  /** The sender only tests the address and expects this text back. */
  challenge?: string
}

/** Verifies the signature over the exact bytes before anything in the body is trusted. */
export const openWebhook = async (
  source: SourceOf<'webhook'>,
  call: SignedRequest & { nowMs: number },
  secret: (name: string) => string | undefined,
): Promise<WebhookDelivery> => {
  const key = secret(source.secret)
  if (key === undefined) {
    throw new StewardError('not_configured', {
      subject: 'the webhook',
      reason: `the secret ${source.secret} is not set`,
    })
  }
  unwrap(await verifyRequest(source, key, call, call.nowMs))
  const text = new TextDecoder().decode(call.body)
  const isForm = call.header('content-type')?.startsWith('application/x-www-form-urlencoded')
  const body = isForm ? JSON.stringify(readForm(text)) : text
  return { body, ...identify(source, call, body) }
}

/** Slack’s commands are forms; its buttons are forms with JSON in the field `payload`. */
const readForm = (text: string): unknown => {
  const fields = Object.fromEntries(new URLSearchParams(text))
  if (fields.payload === undefined) return fields
  const parsed = parseJson(fields.payload, 'the payload', LIMITS.jsonDepth)
  return parsed.ok ? parsed.value : fields
}

const MOST_ID_CHARS = 200

const identify = (
  { scheme }: SourceOf<'webhook'>,
  { header }: SignedRequest,
  body: string,
): Omit<WebhookDelivery, 'body'> => {
  const parsed = parseJson(body, 'the webhook body', LIMITS.jsonDepth)
  const fields = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
  const idOf = (...candidates: readonly unknown[]): string =>
    candidates
      .find((each): each is string => typeof each === 'string' && each !== '')
      ?.slice(0, MOST_ID_CHARS) ?? sha256Hex(body)
  switch (scheme) {
    case 'hmac':
      return { id: idOf(header(HMAC_ID_HEADER)) }
    case 'github':
      return {
        id: idOf(header('x-github-delivery')),
        fingerprint: idOf(header('x-hub-signature-256')?.toLowerCase()),
      }
    case 'stripe':
      return { id: idOf(fields.id) }
    case 'slack': {
      const { type, challenge, event_id, trigger_id } = fields
      const isTest = type === 'url_verification' && typeof challenge === 'string'
      return {
        id: idOf(event_id, trigger_id),
        ...(isTest ? { challenge: String(challenge) } : {}),
      }
    }
    case 'standard':
      return { id: idOf(header('webhook-id')) }
  }
}

/** The items of a verified body; items without an identity get the one of the delivery. */
export const readWebhook = (
  source: SourceOf<'webhook'>,
  body: string,
  deliveryId?: string,
): FlowItem[] => {
  const json = unwrap(parseJson(body, 'the webhook body', LIMITS.jsonDepth))
  return itemsFromJson(json, source, 'the webhook body', deliveryId)
}

/** Refuses a body that has no items where the flow expects them, so that only processing can fail. */
export const checkWebhookBody = (source: SourceOf<'webhook'>, body: string): void => {
  try {
    readWebhook(source, body)
  } catch (thrown) {
    const error = toStewardError(thrown)
    if (error.code !== 'upstream_failed') throw error
    const subject = 'the webhook body'
    throw new StewardError('invalid_input', { subject, reason: error.message }, error)
  }
}
