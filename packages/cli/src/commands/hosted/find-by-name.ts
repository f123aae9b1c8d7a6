import { StewardError } from '@steward/contract'

interface Named {
  id: string
  name: string
}

/** Resolves a name to an id; an id is returned unchanged. */
export const findByName = async (
  what: string,
  word: string,
  prefix: string,
  list: () => AsyncIterable<Named>,
): Promise<string> => {
  if (word.startsWith(prefix)) return word
  const found: Named[] = []
  for await (const each of list()) if (each.name === word) found.push(each)
  const [first] = found
  if (first === undefined) throw new StewardError('not_found', { what, name: word })
  if (found.length === 1) return first.id
  const candidates = found.map(({ id }) => id).join(', ')
  throw new StewardError('ambiguous', { what, name: word, candidates })
}
