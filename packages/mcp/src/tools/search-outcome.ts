import type { WikiSearchAnswer } from '@steward/contract'
import { z } from 'zod'

/** What a search says of itself. */
export const searchOutcome = {
  total: z.int(),
  /** `some`: nothing has all of the words, these have some. */
  matched: z.enum(['all', 'some', 'none']),
  /** Words that nobody wrote, with what was looked for in their place. */
  corrections: z.array(z.object({ word: z.string(), used: z.array(z.string()) })),
}

export const describeOutcome = ({
  total,
  matched,
  corrections,
}: Pick<WikiSearchAnswer, 'total' | 'matched' | 'corrections'>) => ({ total, matched, corrections })
