import type { IncomingMessage } from 'node:http'
import { parseJson, StewardError } from '@steward/contract'

/**
 * Reads a JSON body, counting while it comes in: a body that is or becomes too large is given up on
 * at the limit, whatever its length was announced to be.
 */
export const readJsonBody = async (incoming: IncomingMessage, limit: number): Promise<unknown> => {
  const announced = Number(incoming.headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(announced, limit)
  const text = await readText(incoming, limit)
  const parsed = parseJson(text, 'the body')
  if (!parsed.ok) throw parsed.error
  return parsed.value
}

const readText = async (incoming: IncomingMessage, limit: number): Promise<string> => {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) {
        chunks.push(chunk)
        return
      }
      stop()
      incoming.pause()
      reject(tooLarge(size, limit))
    }
    const onEnd = () => {
      stop()
      resolve(Buffer.concat(chunks))
    }
    const onClose = () => {
      stop()
      reject(new StewardError('invalid_input', { subject: 'the body', reason: 'it was cut off' }))
    }
    const stop = () => {
      incoming.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
    }
    incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    const reason = 'it is not UTF-8'
    throw new StewardError('invalid_json', { subject: 'the body', reason }, thrown)
  }
}

const tooLarge = (bytes: number, limit: number): StewardError =>
  new StewardError('payload_too_large', { subject: 'the body', bytes, limit })
