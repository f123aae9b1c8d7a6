import type { WikiSearchAnswer } from '@steward/contract'
import { z } from 'zod'

/** How a search matched. */
export const searchOutcome = {
  total: z.int(),
  /** `some`: no result has all of the words, these have some. */
  matched: z.enum(['all', 'some', 'none']),
  /** Words that no document contains, with the words searched instead. */
  corrections: z.array(z.object({ word: z.string(), used: z.array(z.string()) })),
}

export const describeOutcome = ({
  total,
  matched,
  corrections,
}: Pick<WikiSearchAnswer, 'total' | 'matched' | 'corrections'>) => ({ total, matched, corrections })
