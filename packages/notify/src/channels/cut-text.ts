const ELLIPSIS = '…'
const ELLIPSIS_BYTES = 3
/** Longer than any real character with its accents and joined parts. */
const CHARACTER_UNITS = 64

/** At most `maxUnits` UTF-16 units; services count a character as at least one unit. */
export const cutToUnits = (text: string, maxUnits: number): string => {
  if (text.length <= maxUnits) return text
  return text.slice(0, boundaryBefore(text, maxUnits - ELLIPSIS.length)) + ELLIPSIS
}

/** At most `maxBytes` bytes of UTF-8. */
export const cutToBytes = (text: string, maxBytes: number): string => {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  // In stream mode the decoder omits the character that was cut.
  const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    bytes.subarray(0, maxBytes - ELLIPSIS_BYTES),
    { stream: true },
  )
  return text.slice(0, boundaryBefore(text, kept.length)) + ELLIPSIS
}

/** Created lazily, because the first one takes a tenth of the process start. */
let segmenter: Intl.Segmenter | undefined

/** The nearest grapheme boundary at or before `end`. */
const boundaryBefore = (text: string, end: number): number => {
  const from = Math.max(0, end - CHARACTER_UNITS)
  const around = text.slice(from, end + CHARACTER_UNITS)
  segmenter ??= new Intl.Segmenter()
  const start = segmenter.segment(around).containing(end - from)?.index ?? 0
  if (start > 0) return from + start
  return isLowSurrogate(text.charCodeAt(end)) ? end - 1 : end
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff
