import { fail, ok, type Result, StewardError, type WebhookScheme } from '@steward/contract'
import { bytesOf, hmacSha256, matchesHmac, toBase64, toHex } from './hmac.ts'

/** How far a signed timestamp may be from now, as the senders recommend. */
const REPLAY_WINDOW_SECONDS = 300
export const HMAC_HEADER = 'x-signature-256'
/** The optional delivery id of plain HMAC; it is not signed. */
export const HMAC_ID_HEADER = 'x-delivery-id'

export interface SignedRequest {
  body: Uint8Array<ArrayBuffer>
  header: (name: string) => string | undefined
}

/** What a scheme signs and where it puts the signature. */
interface Scheme {
  /** The signed bytes, or why the request cannot be checked. */
  signedPart: (request: SignedRequest) => Result<{ bytes: Uint8Array<ArrayBuffer>; at?: number }>
  /** The signatures of a request; one that matches is enough, so that senders can rotate keys. */
  signatures: (request: SignedRequest, header: string) => Uint8Array<ArrayBuffer>[]
  signatureHeader: string
  form: string
  key: (secret: string) => Uint8Array<ArrayBuffer> | undefined
  headersFor: (parts: {
    signature: ArrayBuffer
    id: string
    seconds: number
    header: string
  }) => Record<string, string>
  /** The headers that are signed with the body. */
  unsignedHeaders: (parts: { id: string; seconds: number }) => Record<string, string>
}

const textKey = (secret: string): Uint8Array<ArrayBuffer> => bytesOf(secret)
const bodyOnly: Scheme['signedPart'] = ({ body }) => ok({ bytes: body })
const hexAfter =
  (prefix: string): Scheme['signatures'] =>
  ({ header }, name) =>
    hexes(header(name) ?? '', new RegExp(`^${prefix}([0-9a-f]{64})$`, 'i'))

const hexes = (text: string, pattern: RegExp): Uint8Array<ArrayBuffer>[] => {
  const digits = pattern.exec(text.trim())?.[1]
  return digits === undefined ? [] : [fromHex(digits)]
}

const SCHEMES: Record<WebhookScheme, Scheme> = {
  hmac: {
    signedPart: bodyOnly,
    signatures: hexAfter('sha256='),
    signatureHeader: HMAC_HEADER,
    form: 'sha256= and 64 hexadecimal digits',
    key: textKey,
    unsignedHeaders: () => ({}),
    headersFor: ({ signature, id, header }) => ({
      [header]: `sha256=${toHex(signature)}`,
      [HMAC_ID_HEADER]: id,
    }),
  },
  github: {
    signedPart: bodyOnly,
    signatures: hexAfter('sha256='),
    signatureHeader: 'x-hub-signature-256',
    form: 'sha256= and 64 hexadecimal digits',
    key: textKey,
    unsignedHeaders: () => ({}),
    headersFor: ({ signature, id }) => ({
      'x-hub-signature-256': `sha256=${toHex(signature)}`,
      'x-github-delivery': id,
      'x-github-event': 'push',
    }),
  },
  stripe: {
    signedPart: ({ body, header }) => {
      const seconds = /(?:^|,)\s*t=(\d{1,12})(?:,|$)/.exec(header('stripe-signature') ?? '')?.[1]
      if (seconds === undefined) return refuse('the timestamp t= is missing')
      return ok({ bytes: join(`${seconds}.`, body), at: Number(seconds) })
    },
    signatures: ({ header }) =>
      (header('stripe-signature') ?? '')
        .split(',')
        .flatMap((part) => hexes(part, /^v1=([0-9a-f]{64})$/i)),
    signatureHeader: 'stripe-signature',
    form: 't=, a timestamp, v1= and 64 hexadecimal digits',
    key: textKey,
    unsignedHeaders: ({ seconds }) => ({ 'stripe-signature': `t=${seconds}` }),
    headersFor: ({ signature, seconds }) => ({
      'stripe-signature': `t=${seconds},v1=${toHex(signature)}`,
    }),
  },
  slack: {
    signedPart: ({ body, header }) => {
      const seconds = header('x-slack-request-timestamp') ?? ''
      if (!/^\d{1,12}$/.test(seconds)) return refuse('x-slack-request-timestamp is missing')
      return ok({ bytes: join(`v0:${seconds}:`, body), at: Number(seconds) })
    },
    signatures: hexAfter('v0='),
    signatureHeader: 'x-slack-signature',
    form: 'v0= and 64 hexadecimal digits',
    key: textKey,
    unsignedHeaders: ({ seconds }) => ({ 'x-slack-request-timestamp': String(seconds) }),
    headersFor: ({ signature, seconds }) => ({
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': `v0=${toHex(signature)}`,
    }),
  },
  standard: {
    signedPart: ({ body, header }) => {
      const [id, seconds] = [header('webhook-id'), header('webhook-timestamp') ?? '']
      if (id === undefined || id === '') return refuse('webhook-id is missing')
      if (!/^\d{1,12}$/.test(seconds)) return refuse('webhook-timestamp is missing')
      return ok({ bytes: join(`${id}.${seconds}.`, body), at: Number(seconds) })
    },
    signatures: ({ header }) =>
      (header('webhook-signature') ?? '').split(' ').flatMap((part) => {
        const bytes = part.startsWith('v1,') ? fromBase64(part.slice(3)) : undefined
        return bytes === undefined ? [] : [bytes]
      }),
    signatureHeader: 'webhook-signature',
    form: 'v1, and a base64 signature',
    key: (secret) => fromBase64(secret.replace(/^whsec_/, '')),
    unsignedHeaders: ({ id, seconds }) => ({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
    }),
    headersFor: ({ signature, id, seconds }) => ({
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${toBase64(signature)}`,
    }),
  },
}

interface SchemeChoice {
  scheme: WebhookScheme
  /** The signature header of plain HMAC. */
  header?: string | undefined
}

/** Checks the signature over the exact bytes, in constant time, and the age of its timestamp. */
export const verifyRequest = async (
  { scheme, header }: SchemeChoice,
  secret: string,
  request: SignedRequest,
  nowMs: number,
): Promise<Result<undefined>> => {
  const { signedPart, signatures, signatureHeader, form, key } = SCHEMES[scheme]
  const name = scheme === 'hmac' ? (header ?? signatureHeader) : signatureHeader
  const keyBytes = readKey(key, secret)
  if (!keyBytes.ok) return keyBytes
  if ((request.header(name) ?? '').trim() === '') return refuse('the signature header is missing')
  const given = signatures(request, name)
  if (given.length === 0) return refuse(`the header must be ${form}`)
  const signed = signedPart(request)
  if (!signed.ok) return signed
  const { bytes, at } = signed.value
  for (const signature of given) {
    if (!(await matchesHmac(keyBytes.value, bytes, signature))) continue
    return checkAge(at, nowMs)
  }
  return refuse('it was made with another secret or for another body')
}

const checkAge = (at: number | undefined, nowMs: number): Result<undefined> => {
  if (at === undefined) return ok(undefined)
  const ageSeconds = Math.round(nowMs / 1000) - at
  if (Math.abs(ageSeconds) <= REPLAY_WINDOW_SECONDS) return ok(undefined)
  const words = ageSeconds > 0 ? `${ageSeconds} seconds old` : `${-ageSeconds} seconds ahead`
  return refuse(`its timestamp is ${words}; at most ${REPLAY_WINDOW_SECONDS} are accepted`)
}

/** The headers that a sender of the scheme would send with a body. */
export const signRequest = async (
  { scheme, header }: SchemeChoice,
  secret: string,
  { body, id, nowMs }: { body: Uint8Array<ArrayBuffer>; id: string; nowMs: number },
): Promise<Result<Record<string, string>>> => {
  const { signedPart, unsignedHeaders, headersFor, key, signatureHeader } = SCHEMES[scheme]
  const keyBytes = readKey(key, secret)
  if (!keyBytes.ok) return keyBytes
  const seconds = Math.floor(nowMs / 1000)
  const before = unsignedHeaders({ id, seconds })
  const signed = signedPart({ body, header: (name) => before[name] })
  if (!signed.ok) return signed
  const signature = await hmacSha256(keyBytes.value, signed.value.bytes)
  const name = scheme === 'hmac' ? (header ?? signatureHeader) : signatureHeader
  return ok(headersFor({ signature, id, seconds, header: name }))
}

const readKey = (key: Scheme['key'], secret: string): Result<Uint8Array<ArrayBuffer>> => {
  const bytes = secret === '' ? undefined : key(secret)
  if (bytes !== undefined && bytes.length > 0) return ok(bytes)
  const reason = secret === '' ? 'it is empty' : 'it must be base64, after whsec_'
  return fail(new StewardError('not_configured', { subject: 'the webhook secret', reason }))
}

const refuse = (reason: string): { ok: false; error: StewardError } =>
  fail(new StewardError('signature_invalid', { reason }))

const join = (prefix: string, body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  const start = bytesOf(prefix)
  const joined = new Uint8Array(start.length + body.length)
  joined.set(start)
  joined.set(body, start.length)
  return joined
}

const fromHex = (digits: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
