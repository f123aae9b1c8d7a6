import {
  type Fields,
  isFields,
  LIMITS,
  parseJson,
  reasonOf,
  StewardError,
  typeOf,
} from '@steward/contract'
import { readCapped } from '@steward/engine'

const SUBJECT = 'the request body'

/** The request's JSON object; anything else is an error that says where and what was found. */
export const readInput = async (request: Request): Promise<Fields> => {
  const json = parseJson(decode(await readBytes(request)), SUBJECT)
  if (!json.ok) throw json.error
  if (isFields(json.value)) return json.value
  throw new StewardError('invalid_input', {
    subject: SUBJECT,
    reason: `must be a JSON object of input fields, found ${typeOf(json.value)}`,
  })
}

/** The request's bytes, refused as soon as they are known to be too many. */
export const readBytes = async (request: Request): Promise<Uint8Array<ArrayBuffer>> => {
  const limit = LIMITS.inputBytes
  const announced = Number(request.headers.get('content-length') ?? 0)
  if (announced > limit) {
    await request.body?.cancel()
    throw new StewardError('payload_too_large', { subject: SUBJECT, bytes: announced, limit })
  }
  if (request.body === null) return new Uint8Array()
  // Without a length, or with a wrong one, the stream itself is held to the limit.
  return readCapped(request.body, limit, SUBJECT)
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    const reason = `it is not UTF-8 (${reasonOf(thrown)})`
    throw new StewardError('invalid_json', { subject: SUBJECT, reason }, thrown)
  }
}
