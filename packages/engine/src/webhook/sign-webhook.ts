import { type Result, unwrap } from '@steward/contract'
import { bytesOf } from './hmac.ts'
import { HMAC_HEADER, signRequest, verifyRequest } from './schemes.ts'

export type WebhookBody = string | Uint8Array<ArrayBuffer>

const HMAC = { scheme: 'hmac' } as const

/** The signature header of a body: `sha256=` and the hexadecimal HMAC-SHA256 of its exact bytes. */
export const signWebhook = async (secret: string, body: WebhookBody): Promise<string> => {
  const request = { body: toBytes(body), id: '', nowMs: 0 }
  return unwrap(await signRequest(HMAC, secret, request))[HMAC_HEADER] ?? ''
}

/** Verifies a signature header against the body's exact bytes, in constant time. */
export const verifyWebhook = (
  secret: string,
  body: WebhookBody,
  signatureHeader: string | null | undefined,
): Promise<Result<undefined>> => {
  const header = () => signatureHeader ?? undefined
  return verifyRequest(HMAC, secret, { body: toBytes(body), header }, 0)
}

const toBytes = (body: WebhookBody): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? bytesOf(body) : body
