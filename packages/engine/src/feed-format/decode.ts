import { decodeMixedUtf8 } from './mixed-utf8.ts'

/**
 * Decodes a feed's bytes. A byte order mark or the zero bytes of UTF-16 and UTF-32 are unambiguous
 * and win. Next is UTF-8 if the bytes are valid UTF-8 (they never are by accident, and wrong
 * declarations are common), then the charset of the HTTP header, then the prolog's, and finally
 * UTF-8 with invalid bytes read as windows-1252.
 */
export const decodeFeed = (bytes: Uint8Array, contentType?: string): string => {
  const unicode = sniffUnicode(bytes)
  if (unicode !== null) {
    const body = bytes.subarray(unicode.bomLength)
    if (unicode.encoding === 'utf-8') return tryDecode(body, 'utf-8') ?? decodeMixedUtf8(body)
    if (unicode.encoding.startsWith('utf-32')) return decodeUtf32(body, unicode.encoding)
    return new TextDecoder(unicode.encoding).decode(body)
  }
  const labels = declaredLabels(bytes, contentType)
  const utf8 = labels.some(isSevenBit) ? null : tryDecode(bytes, 'utf-8')
  if (utf8 !== null && !labels.some((label) => isDoubleByteText(label, utf8))) return utf8
  for (const label of labels) {
    const text = label === 'utf-8' ? null : tryDecode(bytes, label)
    if (text !== null) return text
  }
  if (utf8 !== null) return utf8
  const [legacy] = labels.filter((label) => label !== 'utf-8')
  if (legacy !== undefined) return new TextDecoder(legacy).decode(bytes)
  return decodeByLanguage(bytes) ?? decodeMixedUtf8(bytes)
}

const tryDecode = (bytes: Uint8Array, label: string): string | null => {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof RangeError) return null
    throw thrown
  }
}

/**
 * The usable charsets that the header and the document declare, in that order, by canonical name.
 */
const declaredLabels = (bytes: Uint8Array, contentType: string | undefined): string[] => {
  const head = asciiHead(bytes)
  const found = [
    /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType ?? '')?.[1],
    /<\?xml[^>]{0,200}?encoding\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1],
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1],
  ]
  const labels = found.flatMap((label) => {
    const encoding = label === undefined ? null : canonicalLabel(label)
    return encoding === null || encoding.startsWith('utf-16') ? [] : [encoding]
  })
  return [...new Set(labels)]
}

/** Names that feeds use and TextDecoder does not know. */
const ALIASES = new Map([
  ['cp936', 'gbk'],
  ['ms936', 'gbk'],
  ['euc-cn', 'gbk'],
  ['cp949', 'euc-kr'],
  ['uhc', 'euc-kr'],
  ['euckr', 'euc-kr'],
  ['cp950', 'big5'],
  ['cp932', 'shift_jis'],
  ['eucjp', 'euc-jp'],
  ['ansi', 'windows-1252'],
  ['utf8mb4', 'utf-8'],
])

/** Normalises `win1251`, `cp-1251`, `iso_8859_5` and `iso8859-5`. */
const respell = (label: string): string =>
  label
    .replace(/^(?:win|cp|windows)[-_]?(?=125\d$)/, 'windows-')
    .replace(/^iso[-_]?8859[-_]?/, 'iso-8859-')

const canonicalLabel = (label: string): string | null => {
  const lower = label.toLowerCase()
  for (const name of [lower, ALIASES.get(lower), respell(lower)]) {
    const encoding = name === undefined ? null : encodingOf(name)
    if (encoding !== null) return encoding
  }
  return null
}

const encodingOf = (label: string): string | null => {
  try {
    return new TextDecoder(label).encoding
  } catch (thrown) {
    if (thrown instanceof RangeError || thrown instanceof TypeError) return null
    throw thrown
  }
}

const isSevenBit = (label: string): boolean => label === 'iso-2022-jp'
const isMultiByte = (label: string): boolean => /^(?:gb|big5|euc-|shift|iso-2022)/.test(label)

/** A few double-byte characters may look like UTF-8 by accident; eight in a row do not. */
const isDoubleByteText = (label: string, asUtf8: string): boolean => {
  if (!isMultiByte(label)) return false
  const wide = asUtf8.match(/\P{ASCII}/gu)
  return wide !== null && wide.length < 8
}

const asciiHead = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 2048))

/** Without a declared charset, the feed's language suggests which to try. */
const BY_LANGUAGE = new Map([
  ['ru', ['windows-1251', 'koi8-r']],
  ['uk', ['windows-1251', 'koi8-u']],
  ['bg', ['windows-1251']],
  ['ja', ['euc-jp', 'shift_jis']],
  ['zh', ['gb18030', 'big5']],
  ['ko', ['euc-kr']],
  ['el', ['windows-1253']],
  ['tr', ['windows-1254']],
  ['he', ['windows-1255']],
  ['ar', ['windows-1256']],
  ['th', ['windows-874']],
  ['pl', ['windows-1250']],
  ['cs', ['windows-1250']],
  ['sk', ['windows-1250']],
  ['hu', ['windows-1250']],
])

const decodeByLanguage = (bytes: Uint8Array): string | null => {
  const head = asciiHead(bytes)
  const language = /<(?:dc:)?language>\s*([a-z]{2})|xml:lang\s*=\s*["']([a-z]{2})/i.exec(head)
  const candidates = BY_LANGUAGE.get((language?.[1] ?? language?.[2] ?? '').toLowerCase()) ?? []
  const texts = candidates.flatMap((label) => tryDecode(bytes, label) ?? [])
  // Decoded with the wrong one of the two, lower-case Cyrillic becomes upper case.
  const [best] = texts.sort((a, b) => countSmall(b) - countSmall(a))
  return best ?? null
}

const countSmall = (text: string): number => text.slice(0, 20_000).match(/\p{Ll}/gu)?.length ?? 0

interface SniffedUnicode {
  encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'
  bomLength: number
}

/** Detects a Unicode encoding by its byte order mark or by zero bytes around ASCII. */
const sniffUnicode = (bytes: Uint8Array): SniffedUnicode | null => {
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
const decodeUtf32 = (bytes: Uint8Array, encoding: 'utf-32le' | 'utf-32be' | string): string => {
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
