import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { findWords, type Word } from './fold-words.ts'
import type { Group, Phrase } from './match-groups.ts'
import type { Section } from './search-document.ts'

/** A piece of text; `hit` marks a search word. Plain text: the display adds the markup. */
export interface SnippetPart {
  text: string
  hit: boolean
}

export interface Snippet {
  anchor: string
  heading: string
  parts: SnippetPart[]
}

const BEFORE = 60
const LENGTH = 200
const HEADING_WORTH = 2
/** Characters examined without a pause. */
const PIECE_CHARS = 16 * 1024
/** More than fit into a snippet around the first ones. */
const ENOUGH_HITS = 500

/**
 * The best section for a query and the text around the match. Examines at most `budget` characters,
 * with pauses for others.
 */
export const makeSnippet = async (
  sections: readonly Section[],
  groups: readonly Group[],
  budget: number,
): Promise<Snippet> => {
  let best: { worth: number; section: Section; hits: Hit[] } | undefined
  let left = budget
  let rested = budget
  for (const section of sections) {
    if (left <= 0) break
    left -= section.text.length + section.heading.length
    if (rested - left > PIECE_CHARS) {
      rested = left
      await yieldToOthers()
    }
    const hits = await findHits(section.text.slice(0, budget), groups)
    const inHeading = await findHits(section.heading, groups)
    const worth = kindsOf(hits) + HEADING_WORTH * kindsOf(inHeading)
    if (worth > (best?.worth ?? 0)) best = { worth, section, hits }
    if (kindsOf(hits) === groups.length && inHeading.length > 0) break
  }
  const { section = sections[0], hits = [] } = best ?? {}
  if (section === undefined) return { anchor: '', heading: '', parts: [] }
  const { anchor, heading, text } = section
  return { anchor, heading, parts: cut(text, hits) }
}

const kindsOf = (hits: readonly Hit[]): number => new Set(hits.map(({ group }) => group)).size

const cut = (text: string, hits: readonly Hit[]): SnippetPart[] => {
  const from = startOf(text, hits)
  const to = text.length - from <= LENGTH ? text.length : endOf(text, from + LENGTH)
  const parts: SnippetPart[] = []
  const add = (piece: string, hit: boolean): void => {
    if (piece !== '') parts.push({ text: piece, hit })
  }
  let at = from
  add(from > 0 ? '…' : '', false)
  for (const { start, end } of hits) {
    if (start < at || end > to) continue
    add(text.slice(at, start), false)
    add(text.slice(start, end), true)
    at = end
  }
  add(text.slice(at, to), false)
  add(to < text.length ? '…' : '', false)
  return parts
}

/** The position with the most different hits close together. */
const startOf = (text: string, hits: readonly Hit[]): number => {
  let best = { kinds: 0, start: 0 }
  for (const [at, { start }] of hits.slice(0, 200).entries()) {
    const near = hits.slice(at, at + 20).filter(({ end }) => end - start <= LENGTH - BEFORE)
    if (kindsOf(near) > best.kinds) best = { kinds: kindsOf(near), start }
  }
  const wanted = Math.max(0, best.start - BEFORE)
  if (wanted === 0) return 0
  const space = text.indexOf(' ', wanted)
  return space === -1 || space >= best.start ? wholeCharacter(text, wanted) : space + 1
}

const endOf = (text: string, wanted: number): number => {
  const space = text.lastIndexOf(' ', wanted)
  return space > wanted - BEFORE ? space : wholeCharacter(text, wanted)
}

/** Avoids splitting a surrogate pair. */
const wholeCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at

/** A match of a query group in a text. */
interface Hit {
  group: number
  start: number
  end: number
}

/** The matches in text order; enough of them if there are many. */
const findHits = async (text: string, groups: readonly Group[]): Promise<Hit[]> => {
  const lookahead = Math.max(0, ...groups.flatMap(({ phrases }) => phrases.map(wordsOf)))
  const words: Word[] = []
  const hits: Hit[] = []
  let compared = 0
  for (let from = 0; from < text.length; ) {
    const to = endOfPiece(text, from)
    for (const { term, start, end } of findWords(text.slice(from, to))) {
      words.push({ term, start: start + from, end: end + from })
    }
    from = to
    const known = from >= text.length ? words.length : words.length - lookahead
    for (; compared < known; compared++) hits.push(...hitsAt(words, compared, groups))
    if (hits.length >= ENOUGH_HITS && kindsOf(hits) === groups.length) break
    if (from < text.length) await yieldToOthers()
  }
  return hits
}

const wordsOf = ({ terms }: Phrase): number => terms.length

/** After a space if there is one nearby. */
const endOfPiece = (text: string, from: number): number => {
  const wanted = from + PIECE_CHARS
  if (wanted >= text.length) return text.length
  const space = text.indexOf(' ', wanted)
  return space === -1 || space > wanted + PIECE_CHARS ? wholeCharacter(text, wanted) : space + 1
}

const hitsAt = (words: readonly Word[], at: number, groups: readonly Group[]): Hit[] => {
  const hits: Hit[] = []
  const start = words[at]?.start ?? 0
  for (const [group, { phrases }] of groups.entries()) {
    const length = longestFit(words, at, phrases)
    if (length > 0) hits.push({ group, start, end: words[at + length - 1]?.end ?? start })
  }
  return hits
}

const longestFit = (words: readonly Word[], at: number, phrases: readonly Phrase[]): number => {
  let longest = 0
  for (const { terms, prefix } of phrases) {
    if (terms.length <= longest) continue
    const fits = terms.every((term, step) => {
      const found = words[at + step]?.term
      return found === term || (prefix && step === terms.length - 1 && found?.startsWith(term))
    })
    if (fits) longest = terms.length
  }
  return longest
}
