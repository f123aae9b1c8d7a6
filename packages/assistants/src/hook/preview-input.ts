import type { Fields } from '@steward/contract'
import type { ClipText } from './clip-text.ts'

/** Longer texts inside of an input are cut before it is written down: a preview needs no megabytes. */
const LONGEST_TEXT = 16_384

export const previewInput = (input: Fields | undefined, chars: number, clip: ClipText): string => {
  if (input === undefined) return ''
  const text = JSON.stringify(input, (_key, value: unknown) =>
    typeof value === 'string' && value.length > LONGEST_TEXT ? value.slice(0, LONGEST_TEXT) : value,
  )
  return clip(text, chars)
}
