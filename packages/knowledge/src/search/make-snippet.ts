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

/**
 * The best section for a query and the text around the match. Examines at most `budget` characters.
 */
export const makeSnippet = (
  sections: readonly Section[],
  groups: readonly Group[],
  budget: number,
): Snippet => {
  let best: { worth: number; section: Section; hits: Hit[] } | undefined
  let left = budget
  for (const section of sections) {
    if (left <= 0) break
    left -= section.text.length + section.heading.length
    const hits = findHits(findWords(section.text.slice(0, budget)), groups)
    const inHeading = findHits(findWords(section.heading), groups)
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

/** All matches in text order. */
const findHits = (words: readonly Word[], groups: readonly Group[]): Hit[] => {
  const hits: Hit[] = []
  for (const [at, { start }] of words.entries()) {
    for (const [group, { phrases }] of groups.entries()) {
      const length = longestFit(words, at, phrases)
      if (length > 0) hits.push({ group, start, end: words[at + length - 1]?.end ?? start })
    }
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
