import type { Material } from './material.ts'
import { pickSentences, rankSentences } from './rank-sentences.ts'
import type { SchemaShape } from './schema-shape.ts'

const TITLE_CHARS = 90

/** A string for a field: a title, an address, or as many central sentences as its name implies. */
export const fillText = (hint: string, shape: SchemaShape, material: Material): string => {
  if (typeof shape.default === 'string') return shape.default
  return fitLength(textFor(hint, material), shape, material)
}

const textFor = (hint: string, material: Material): string => {
  if (/^(source )?(url|link|href)\b/.test(hint)) return material.urls[0] ?? ''
  if (/^(\w+ )?(title|headline|subject|name)\b/.test(hint)) {
    return material.title || shorten(extract(material, 1), TITLE_CHARS)
  }
  return extract(material, sentencesFor(hint))
}

const sentencesFor = (hint: string): number => {
  if (/\b(one|single|1) sentence\b|\bshort\b|\btl;?dr\b|\bgist\b|\bheadline\b/.test(hint)) return 1
  const spoken = spokenCount(hint)
  if (spoken !== undefined) return spoken
  return /\b(paragraph|medium|long|detailed|body|overview|digest)\b/.test(hint) ? 3 : 1
}

const COUNTS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** `in two sentences`, `5 bullet points`: the requested number, at most 10. */
export const spokenCount = (text: string): number | undefined => {
  const match =
    /\b(\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten)[\s-]+(?:\w+\s+)?(?:sentences?|bullets?|points?|lines?)\b/i.exec(
      text,
    )
  if (match?.[1] === undefined) return undefined
  const word = COUNTS.indexOf(match[1].toLowerCase()) + 1
  return Math.min(10, Math.max(1, word || Number(match[1])))
}

const extract = (material: Material, count: number): string => {
  const picked = pickSentences(rankSentences(material), count)
  return picked.join(' ') || material.title
}

const fitLength = (text: string, shape: SchemaShape, material: Material): string => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = shape
  const long = text.length >= minLength ? text : extract(material, material.sentences.length)
  return long.length > maxLength ? shorten(long, maxLength) : long
}

/** Cuts at the end of a word and adds an ellipsis. */
const shorten = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  const cut = text.slice(0, Math.max(0, maxChars - 1))
  const space = cut.lastIndexOf(' ')
  return `${(space > maxChars / 2 ? cut.slice(0, space) : cut).replace(/(?<![\s,;:–-])[\s,;:–-]+$/, '')}…`
}
