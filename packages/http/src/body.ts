import type { IncomingMessage } from 'node:http'
import { parseJson, StewardError, unwrap } from '@steward/contract'

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
export const parseBody = (bytes: Uint8Array): unknown => {
  checkNesting(bytes)
  const parsed = unwrap(parseJson(decode(bytes), 'the body'))
  return parsed
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    const reason = 'it is not UTF-8'
    throw new StewardError('invalid_json', { subject: 'the body', reason }, thrown)
  }
}

/** Parsers and stores that recurse would overflow the stack on deeper JSON. */
const MAX_DEPTH = 100
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

const checkNesting = (bytes: Uint8Array): void => {
  let depth = 0
  let isText = false
  for (let place = 0; place < bytes.length; place++) {
    const byte = bytes[place] ?? 0
    if (isText) {
      if (byte === BACKSLASH) place += 1
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (OPENING.has(byte)) {
      depth += 1
      if (depth > MAX_DEPTH) {
        const reason = `it nests deeper than ${MAX_DEPTH} levels`
        throw new StewardError('invalid_json', { subject: 'the body', reason })
      }
    } else if (CLOSING.has(byte)) depth -= 1
  }
}

const tooLarge = (bytes: number, limit: number): StewardError =>
  new StewardError('payload_too_large', { subject: 'the body', bytes, limit })
