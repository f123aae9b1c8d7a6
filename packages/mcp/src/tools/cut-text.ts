import { z } from 'zod'

/** A part of a text, and the offset of the next one. */
export const textPart = {
  text: z.string(),
  totalChars: z.int(),
  /** There is more: call again with this offset. */
  nextOffset: z.int().optional(),
}

export const textRange = {
  offset: z.int().min(0).default(0).describe('start offset in characters'),
  maxChars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(40_000)
    .describe('maximum number of characters to return'),
}

/** Splits a long text into parts, never within a character. */
export const cutText = (
  text: string,
  { offset, maxChars }: { offset: number; maxChars: number },
): { text: string; totalChars: number; nextOffset?: number } => {
  const start = wholeCharacter(text, offset)
  const end = wholeCharacter(text, start + maxChars)
  return {
    text: text.slice(start, end),
    totalChars: text.length,
    ...(end < text.length ? { nextOffset: end } : {}),
  }
}

const wholeCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') ? at - 1 : at
