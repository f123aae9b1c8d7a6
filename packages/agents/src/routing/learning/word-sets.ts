import type { Routing } from '../routing.ts'
import { stem } from '../stem.ts'

/** The sets that tell subjects apart. */
const SETS = [
  'artefact',
  'ui',
  'system',
  'repo',
  'broken',
  'change',
  'implement',
  'research',
  'polish',
  'target',
  'host',
  'hostThing',
] as const

/** Which sets of the table a stem belongs to. */
export const wordSetsOf = ({ words }: Routing): Map<string, string[]> => {
  const sets = new Map<string, string[]>()
  for (const set of SETS) {
    for (const word of words[set] ?? []) {
      if (word.includes(' ')) continue
      const key = stem(word.toLowerCase())
      const known = sets.get(key)
      if (known === undefined) sets.set(key, [set])
      else if (!known.includes(set)) known.push(set)
    }
  }
  return sets
}
