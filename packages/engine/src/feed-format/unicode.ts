export interface SniffedUnicode {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'
  bomLength: number
}

/** Detects a Unicode encoding by its byte order mark or by zero bytes around ASCII. */
export const sniffUnicode = (bytes: Uint8Array): SniffedUnicode | null => {
  const [a, b, c, d] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', bomLength: 3 }
  if (a === 0xff && b === 0xfe) {
    return c === 0 && d === 0
      ? { encoding: 'utf-32le', bomLength: 4 }
      : { encoding: 'utf-16le', bomLength: 2 }
  }
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', bomLength: 2 }
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return { encoding: 'utf-32be', bomLength: 4 }
  if (bytes.length < 4) return null
  if (a === 0 && b === 0 && c === 0 && d !== 0) return { encoding: 'utf-32be', bomLength: 0 }
  if (a !== 0 && b === 0 && c === 0 && d === 0) return { encoding: 'utf-32le', bomLength: 0 }
  if (a === 0 && b !== 0 && c === 0 && d !== 0) return { encoding: 'utf-16be', bomLength: 0 }
  if (a !== 0 && b === 0 && c !== 0 && d === 0) return { encoding: 'utf-16le', bomLength: 0 }
  return null
}

const CHUNK_CHARACTERS = 8192

/** UTF-32, which TextDecoder does not support. */
export const decodeUtf32 = (
  bytes: Uint8Array,
  encoding: 'utf-32le' | 'utf-32be' | string,
): string => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: string[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const points: number[] = []
    for (; at + 4 <= bytes.length && points.length < CHUNK_CHARACTERS; at += 4) {
      const point = view.getUint32(at, encoding === 'utf-32le')
      points.push(point > 0x10ffff ? 0xfffd : point)
    }
    parts.push(String.fromCodePoint(...points))
  }
  return parts.join('')
}
