import { stem } from './stem.ts'

/** One element of a phrase. */
export type Element =
  | { kind: 'word'; stem: string }
  /** A word set: any of several sequences, by the stem of their first word. */
  | { kind: 'any'; options: ReadonlyMap<string, readonly (readonly Element[])[]> }
  /** Up to this many arbitrary words. */
  | { kind: 'gap'; words: number }

export interface Phrase {
  /** Only at the start of a request. */
  atHead: boolean
  /** It describes what is not wanted, so a negation inside it is part of it. */
  denies: boolean
  /** The stems that it can start with. */
  begins: ReadonlySet<string>
  elements: readonly Element[]
}

type WordSets = Readonly<Record<string, readonly string[]>>

const SHORT_GAP_WORDS = 4
const LONG_GAP_WORDS = 12
const MAX_DEPTH = 4

/**
 * A phrase of the table: words in any form, `{set}` for one of a word set, `..` for up to four
 * other words, `...` for up to twelve, a leading `^` for the start of a request.
 */
export const compilePhrase = (source: string, sets: WordSets): Phrase => {
  const elements = compileElements(source.replace(/^\^/, ''), sets, 0)
  return {
    atHead: source.startsWith('^'),
    denies: /\{not\}|\b(no|not|without|nobody|nothing)\b/.test(source),
    begins: new Set(beginsOf(elements)),
    elements,
  }
}

const compileElements = (text: string, sets: WordSets, depth: number): Element[] =>
  text.split(/[\s-]+/).flatMap((part): Element[] => {
    if (part === '') return []
    if (part === '..') return [{ kind: 'gap', words: SHORT_GAP_WORDS }]
    if (part === '...') return [{ kind: 'gap', words: LONG_GAP_WORDS }]
    const set = /^\{(.+)\}$/.exec(part)?.[1]
    if (set === undefined) return [{ kind: 'word', stem: stem(part.toLowerCase()) }]
    // Stops the expansion of a set that contains itself.
    const words = depth < MAX_DEPTH && Object.hasOwn(sets, set) ? (sets[set] ?? []) : []
    return [compileSet(words.map((word) => compileElements(word, sets, depth + 1)))]
  })

const compileSet = (sequences: readonly (readonly Element[])[]): Element => {
  const options = new Map<string, (readonly Element[])[]>()
  for (const sequence of sequences) {
    for (const begin of beginsOf(sequence)) {
      options.set(begin, [...(options.get(begin) ?? []), sequence])
    }
  }
  return { kind: 'any', options }
}

/** A sequence starts with a word: one that starts with a gap never matches. */
const beginsOf = ([first]: readonly Element[]): Iterable<string> => {
  if (first === undefined || first.kind === 'gap') return []
  return first.kind === 'word' ? [first.stem] : first.options.keys()
}
