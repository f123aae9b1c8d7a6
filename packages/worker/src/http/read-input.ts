import {
  isJsonObject,
  type JsonObject,
  LIMITS,
  parseJson,
  reasonOf,
  StewardError,
  typeOf,
  unwrap,
} from '@steward/contract'

const SUBJECT = 'the request body'

/** The request's JSON object; anything else is an error with its position. */
export const readInput = async (request: Request): Promise<JsonObject> => {
  const value = await readJsonBody(request)
  if (isJsonObject(value)) return value
  throw new StewardError('invalid_input', {
    subject: SUBJECT,
    reason: `must be a JSON object of input fields, found ${typeOf(value)}`,
  })
}

/** The request's JSON of any type. */
export const readJsonBody = async (request: Request): Promise<unknown> =>
  unwrap(parseJson(decode(await readBytes(request)), SUBJECT, LIMITS.jsonDepth))

/**
 * The request's bytes; rejects too many. Reads and discards a little more than the limit, because a
 * client that is cut off while sending sees a broken connection instead of the response.
 */
export const readBytes = async (request: Request): Promise<Uint8Array<ArrayBuffer>> => {
  const limit = LIMITS.inputBytes
  const announced = Number(request.headers.get('content-length') ?? 0)
  // Only a body without a declared length has to be limited while it is read.
  if (announced > 0 && announced <= limit) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    // Through a binding the caller declares the length and nothing enforces it.
    if (bytes.length <= limit) return bytes
    throw new StewardError('payload_too_large', { subject: SUBJECT, bytes: bytes.length, limit })
  }
  if (request.body === null) return new Uint8Array()
  if (announced > limit * DRAIN_FACTOR) {
    await request.body.cancel()
    const details = { subject: SUBJECT, bytes: announced, limit }
    throw new StewardError('payload_too_large', details)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > limit * DRAIN_FACTOR) break
    if (bytes > limit) chunks.length = 0
    else chunks.push(chunk)
  }
  if (bytes > limit) throw new StewardError('payload_too_large', { subject: SUBJECT, bytes, limit })
  return joinChunks(chunks, bytes)
}

const DRAIN_FACTOR = 2

const joinChunks = (chunks: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

const strictly = new TextDecoder('utf-8', { fatal: true })

const decode = (bytes: Uint8Array): string => {
  try {
    return strictly.decode(bytes)
  } catch (thrown) {
    const reason = `it is not UTF-8 (${reasonOf(thrown)})`
    throw new StewardError('invalid_json', { subject: SUBJECT, reason }, thrown)
  }
}
