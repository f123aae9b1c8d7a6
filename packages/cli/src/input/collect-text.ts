import { LIMITS, StewardError } from '@steward/contract'

/** Reads a stream as text and stops at the first byte above the limit, before parsing. */
export const collectText = async (
  chunks: AsyncIterable<string | Uint8Array>,
  subject: string,
  limit: number = LIMITS.inputBytes,
): Promise<string> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    bytes += part.length
    if (bytes > limit) throw tooLarge(subject, `more than ${limit}`, limit)
    parts.push(part)
  }
  return decodeText(Buffer.concat(parts), subject)
}

export const tooLarge = (subject: string, bytes: number | string, limit: number): StewardError =>
  new StewardError('payload_too_large', { subject, bytes, limit })

/** Invalid UTF-8 is refused, because replacing it would silently change the input. */
const decodeText = (bytes: Uint8Array, subject: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new StewardError('invalid_input', { subject, reason: 'is not UTF-8 text' }, cause)
  }
}
