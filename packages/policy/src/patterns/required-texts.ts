import type { RegexNode } from './parse-regex.ts'

/** Shorter ones are in every command. */
const COMMAND_LIMITS = { leastChars: 3, mostTexts: 40 }

/**
 * Texts of which at least one is in everything that the pattern matches, in lower case; nothing where
 * there are none. Looking for them first spares nearly every command the matching itself.
 */
export const requiredTexts = (
  tree: RegexNode,
  { leastChars, mostTexts } = COMMAND_LIMITS,
): string[] | undefined => {
  const found = find(tree)
  if (found === undefined || found.length > mostTexts) return undefined
  return found.every((text) => text.length >= leastChars) ? found : undefined
}

const find = (node: RegexNode): string[] | undefined => {
  switch (node.kind) {
    case 'char':
      return node.char === undefined ? undefined : [node.char.toLowerCase()]
    case 'sequence':
      return findInSequence(node.items)
    case 'choice': {
      const all = node.items.map(find)
      return all.every((texts) => texts !== undefined) ? all.flat() : undefined
    }
    case 'repeat':
      return node.min > 0 ? find(node.item) : undefined
    default:
      return undefined
  }
}

/** Neighbouring characters are one text; of all that a sequence needs, the longest says most. */
const findInSequence = (items: readonly RegexNode[]): string[] | undefined => {
  const candidates: string[][] = []
  let run = ''
  for (const item of items) {
    if (item.kind === 'char' && item.char !== undefined) {
      run += item.char.toLowerCase()
      continue
    }
    if (run !== '') candidates.push([run])
    run = ''
    const found = find(item)
    if (found !== undefined) candidates.push(found)
  }
  if (run !== '') candidates.push([run])
  const shortest = (texts: readonly string[]) => Math.min(...texts.map((text) => text.length))
  return candidates.toSorted((a, b) => shortest(b) - shortest(a))[0]
}
