import { StewardError } from '@steward/contract'

/**
 * Reads a whole body up to a limit; beyond it the stream is cancelled, which closes the connection.
 */
export const readCapped = async (
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  subject: string,
): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.byteLength
    if (size > limitBytes) {
      throw new StewardError('payload_too_large', {
        subject,
        bytes: `more than ${limitBytes}`,
        limit: limitBytes,
      })
    }
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}
