import { createJsonReader } from '../call/read-json.ts'
import type { Material } from './material.ts'
import { pickSentences, rankSentences } from './rank-sentences.ts'
import type { SchemaShape } from './schema-shape.ts'

const TITLE_CHARS = 90

/**
 * A string for a field: a title, an address, or as many central sentences as its name implies;
 * undefined if nothing in the material fits the schema.
 */
export const fillText = (
  hint: string,
  shape: SchemaShape,
  material: Material,
): string | undefined => {
  if (typeof shape.default === 'string') return shape.default
  const text = textFor(hint, material)
  const [fitting] = fitText(text, shape, material)
  return fitting ?? findFitting(shape, material)
}

/** The text cut or extended to the length that the schema allows; none if it still does not fit. */
export const fitText = (text: string, shape: SchemaShape, material: Material): string[] => {
  const fitting = fitLength(text, shape, material)
  return isFitting(fitting, shape) ? [fitting] : []
}

/** Something in the text that has the required form: a date, an address, a word. */
const findFitting = (shape: SchemaShape, material: Material): string | undefined => {
  const whole = [material.title, ...material.headings, ...material.paragraphs].join('\n')
  const form = FORMS[shape.format ?? '']
  const found = form === undefined ? [] : (whole.match(form) ?? [])
  const dates = shape.format?.startsWith('date') === true ? spokenDates(whole, shape.format) : []
  const words = whole.slice(0, SEARCHED_CHARS).split(/[\s,;()"“”]+/)
  return [...found, ...dates, ...material.urls, ...words].find((text) => isFitting(text, shape))
}

const SEARCHED_CHARS = 20_000

const FORMS: Readonly<Record<string, RegExp>> = {
  'date-time': /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)/g,
  date: /\b\d{4}-\d\d-\d\d\b/g,
  time: /\b\d\d:\d\d(?::\d\d)?\b/g,
  email: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g,
  uuid: /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi,
  ipv4: /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
}

/** `March 3, 2026` and `3 March 2026` in the form that the schema wants. */
const spokenDates = (text: string, format: string): string[] => {
  const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}'
  const pattern = new RegExp(
    `\\b(?:${month}\\.? \\d{1,2},? \\d{4}|\\d{1,2}\\.? ${month}\\.? \\d{4}|\\d{4}-\\d\\d-\\d\\d)\\b`,
    'gi',
  )
  return (text.match(pattern) ?? []).flatMap((found) => {
    const time = Date.parse(`${found} UTC`)
    const iso = Number.isNaN(time) ? Date.parse(found) : time
    if (Number.isNaN(iso)) return []
    const full = new Date(iso).toISOString()
    return [format === 'date' ? full.slice(0, 10) : full]
  })
}

const readers = new WeakMap<SchemaShape, (text: string) => boolean>()

const isFitting = (text: string, shape: SchemaShape): boolean => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = shape
  if (text.length < minLength || text.length > maxLength) return false
  if (pattern === undefined && format === undefined) return true
  const known = readers.get(shape)
  if (known !== undefined) return known(text)
  const read = createJsonReader({
    type: 'string',
    ...(pattern === undefined ? {} : { pattern }),
    ...(format === undefined ? {} : { format }),
  })
  const made = (each: string) => read(JSON.stringify(each)).ok
  readers.set(shape, made)
  return made(text)
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
  const long = text.length >= minLength ? text : longest(material)
  if (long.length <= maxLength) return long
  const short = shorten(long, maxLength)
  return short.length >= minLength ? short : long.slice(0, maxLength)
}

const longest = (material: Material): string => {
  const all = extract(material, material.sentences.length)
  const whole = [material.title, ...material.headings, ...material.paragraphs].join(' ').trim()
  return all.length >= whole.length ? all : whole
}

/** Cuts at the end of a word and adds an ellipsis. */
const shorten = (text: string, maxChars: number): string => {
  if (text.length <= maxChars) return text
  const cut = text.slice(0, Math.max(0, maxChars - 1))
  const space = cut.lastIndexOf(' ')
  return `${(space > maxChars / 2 ? cut.slice(0, space) : cut).replace(/(?<![\s,;:–-])[\s,;:–-]+$/, '')}…`
}
