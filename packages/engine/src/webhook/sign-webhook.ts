import { fail, ok, type Result, StewardError } from '@steward/contract'

export type WebhookBody = string | Uint8Array<ArrayBuffer>

const PREFIX = 'sha256='
const encoder = new TextEncoder()

/** The signature header of a body: `sha256=` and the hexadecimal HMAC-SHA256 of its exact bytes. */
export const signWebhook = async (secret: string, body: WebhookBody): Promise<string> => {
  const signature = await crypto.subtle.sign('HMAC', await importKey(secret), toBytes(body))
  return PREFIX + new Uint8Array(signature).reduce((hex, byte) => hex + toHex(byte), '')
}

/** Verifies a signature header against the body's exact bytes, in constant time. */
export const verifyWebhook = async (
  secret: string,
  body: WebhookBody,
  signatureHeader: string | null | undefined,
): Promise<Result<undefined>> => {
  const invalid = (reason: string) => fail(new StewardError('signature_invalid', { reason }))
  if (secret === '') return fail(missingSecret())
  const given = signatureHeader?.trim() ?? ''
  if (given === '') return invalid('the signature header is missing')
  const signature = parseSignature(given)
  if (signature === undefined)
    return invalid('the header must be sha256= and 64 hexadecimal digits')
  // `verify` compares in constant time, unlike a string comparison.
  const valid = await crypto.subtle.verify(
    'HMAC',
    await importKey(secret),
    signature,
    toBytes(body),
  )
  return valid ? ok(undefined) : invalid('it was made with another secret or for another body')
}

const importKey = (secret: string): Promise<CryptoKey> => {
  if (secret === '') throw missingSecret()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, [
    'sign',
    'verify',
  ])
}

const missingSecret = () =>
  new StewardError('not_configured', { subject: 'the webhook secret', reason: 'it is empty' })

const toBytes = (body: WebhookBody): Uint8Array<ArrayBuffer> =>
  typeof body === 'string' ? encoder.encode(body) : body

const toHex = (byte: number): string => byte.toString(16).padStart(2, '0')

const parseSignature = (header: string): Uint8Array<ArrayBuffer> | undefined => {
  const digits = /^sha256=([0-9a-f]{64})$/i.exec(header)?.[1]
  if (digits === undefined) return undefined
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}
