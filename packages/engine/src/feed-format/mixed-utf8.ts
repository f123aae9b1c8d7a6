import { WINDOWS_1252 } from './entities.ts'

/**
 * Decodes UTF-8 and reads invalid bytes as windows-1252, so that pure windows-1252, and UTF-8 with
 * a pasted piece or a truncated end, come out right.
 */
export const decodeMixedUtf8 = (bytes: Uint8Array): string => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  let validFrom = 0
  let at = 0
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    if (at > validFrom) parts.push(decoder.decode(bytes.subarray(validFrom, at)))
    if (!isCutOffEnd(bytes, at)) parts.push(fromWindows1252(bytes[at] ?? 0))
    else at = bytes.length
    at += 1
    validFrom = at
  }
  if (validFrom < bytes.length) parts.push(decoder.decode(bytes.subarray(validFrom)))
  return parts.join('')
}

/** Length of the well-formed sequence that starts here, or 0 (Unicode, table 3-7). */
const sequenceLength = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const second = bytes[at + 1] ?? 0
  if (first < 0xe0) return isContinuation(second) ? 2 : 0
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest || !isContinuation(bytes[at + 2] ?? 0)) return 0
  if (first < 0xf0) return 3
  return isContinuation(bytes[at + 3] ?? 0) ? 4 : 0
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Whether the document's end cuts off a longer sequence that starts here. */
const isCutOffEnd = (bytes: Uint8Array, at: number): boolean => {
  const first = bytes[at] ?? 0
  if (first < 0xe0 || first > 0xf4) return false
  const left = bytes.length - at
  const needed = first < 0xf0 ? 3 : 4
  return left > 1 && left < needed && bytes.subarray(at + 1).every(isContinuation)
}

const fromWindows1252 = (byte: number): string =>
  byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charAt(byte - 0x80) : String.fromCharCode(byte)
