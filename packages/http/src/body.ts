import type { IncomingMessage } from 'node:http'
import { LIMITS, parseJson, StewardError, unwrap } from '@steward/contract'

/**
 * Reads a body and counts while it arrives: reading stops at the limit, whatever Content-Length
 * says. The connection stays open, so that the caller still gets its answer.
 */
export const readBytes = async (incoming: IncomingMessage, limit: number): Promise<Buffer> => {
  const announced = Number(incoming.headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(announced, limit)
  return new Promise((resolve, reject) => {
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
}

/** Parses the bytes of a body as JSON. */
export const parseBody = (bytes: Uint8Array): unknown =>
  unwrap(parseJson(decode(bytes), 'the body', LIMITS.jsonDepth))

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    const reason = 'it is not UTF-8'
    throw new StewardError('invalid_json', { subject: 'the body', reason }, thrown)
  }
}

const tooLarge = (bytes: number, limit: number): StewardError =>
  new StewardError('payload_too_large', { subject: 'the body', bytes, limit })
