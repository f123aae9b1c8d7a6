import { nearestHint, StewardError } from '@steward/contract'
import { type Ladder, type LadderEntry, ladderNumberOf } from './read-ladder.ts'

/** Finds an entry in any case, with or without leading zeros. */
export const findLadderEntry = (ladder: Ladder, word: string): LadderEntry => {
  const wanted = normalise(word)
  const found = ladder.entries.find(({ id }) => normalise(id) === wanted)
  if (found !== undefined) return found
  const ids = ladder.entries.map(({ id }) => id)
  const hint = ids.length === 0 ? '; the ladder is empty' : nearestHint(word, ids)
  throw new StewardError('not_found', { what: 'ladder item', name: word, hint })
}

const normalise = (id: string): string => {
  const upper = id.trim().toUpperCase()
  return /^[A-Z]{2}-\d+$/.test(upper) ? `${upper.slice(0, 2)}-${ladderNumberOf(upper)}` : upper
}
