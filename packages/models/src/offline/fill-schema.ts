import { chooseOnScale, rankLabels } from './choose-label.ts'
import { fillText, fitText } from './fill-text.ts'
import { findKeyTerms } from './key-terms.ts'
import { type Material, takeApart } from './material.ts'
import { pickSentences, rankSentences } from './rank-sentences.ts'
import { readSchema, type SchemaShape, typeOfSchema } from './schema-shape.ts'
import { levelFor, measure, type Signals } from './signals.ts'

/** Deeper than this, only what a schema requires is filled; it may contain itself. */
const MAX_DEPTH = 6
const MAX_REQUIRED_DEPTH = 20
const LABELS = 5
const POINTS = 3

interface Page {
  material: Material
  /** All of the text; `material` may be one sentence of it. */
  whole: Material
  signals: Signals
  root: unknown
  /** Sentences already used in text fields, so that points can add something new. */
  said: string[]
}

/** Fills a JSON Schema from a text, guided by its names, types, choices and descriptions. */
export const fillSchema = (schema: unknown, material: Material): unknown =>
  fill(
    '',
    readSchema(schema, schema),
    { material, whole: material, signals: measure(material), root: schema, said: [] },
    0,
  )

const fill = (name: string, shape: SchemaShape, page: Page, depth: number): unknown => {
  const hint = hintOf(name, shape)
  if (shape.enum !== undefined) return choose(hint, shape.enum, page)
  switch (typeOfSchema(shape)) {
    case 'object':
      return fillObject(shape, page, depth)
    case 'array':
      return fillArray(hint, shape, page, depth)
    case 'integer':
      return fillNumber(hint, shape, page.signals, true)
    case 'number':
      return fillNumber(hint, shape, page.signals, false)
    case 'boolean':
      return typeof shape.default === 'boolean' ? shape.default : isAbout(name, page.material)
    case 'null':
      return null
    default: {
      const text =
        fillText(hint, shape, page.material) ?? fillText(hint, shape, page.whole) ?? orNull(shape)
      if (text !== null) page.said.push(text)
      return text
    }
  }
}

/** The validation reports a text that is missing; only alternatives with null do without. */
const orNull = ({ type, nullable }: SchemaShape): string | null =>
  nullable === true || [type].flat().includes('null') ? null : ''

const fillObject = (shape: SchemaShape, page: Page, depth: number): Record<string, unknown> => {
  const { properties = {}, required = [], minProperties = 0, additionalProperties } = shape
  const names =
    depth > MAX_DEPTH ? required : [...new Set([...Object.keys(properties), ...required])]
  const more = findKeyTerms(page.material).slice(0, Math.max(0, minProperties - names.length))
  return Object.fromEntries(
    [...(depth > MAX_REQUIRED_DEPTH ? [] : names), ...more].map((name) => [
      name,
      fill(name, readSchema(properties[name] ?? additionalProperties, page.root), page, depth + 1),
    ]),
  )
}

const fillArray = (hint: string, shape: SchemaShape, page: Page, depth: number): unknown[] => {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, prefixItems = [] } = shape
  const first = prefixItems.map((item) => fill(hint, readSchema(item, page.root), page, depth + 1))
  const limits = {
    least: Math.max(0, minItems - first.length),
    most: Math.max(0, maxItems - first.length),
  }
  if (prefixItems.length > 0 && limits.least === 0) return first
  return [...first, ...fillItems(hint, readSchema(shape.items, page.root), limits, page, depth)]
}

const fillItems = (
  hint: string,
  items: SchemaShape,
  { least, most }: { least: number; most: number },
  page: Page,
  depth: number,
): unknown[] => {
  const limit = (usual: number) => Math.min(Math.max(depth > MAX_DEPTH ? 0 : usual, least), most)
  if (items.enum !== undefined) {
    const labels = items.enum.filter((value) => typeof value === 'string')
    const fitting = rankLabels(labels, page.material)
    const rest = items.enum.filter((value) => !fitting.some((label) => label === value))
    const enough = fitting.length > 0 ? fitting : rest.filter(isCatchAll)
    const chosen = topUp<unknown>(enough, rest, least).slice(0, limit(LABELS))
    // Fewer choices than entries: choices are repeated.
    const repeated = Array.from(
      { length: Math.max(0, least - chosen.length) },
      () => items.enum?.[0],
    )
    return [...chosen, ...repeated]
  }
  const ranked = rankSentences(page.material)
  switch (typeOfSchema(items)) {
    case 'string': {
      const fits = (text: string) => fitText(text, items, page.material)
      const spare = [
        ...spareTexts(page.material, ranked),
        ...spareTexts(page.whole, rankSentences(page.whole)),
      ]
      const topped = (chosen: string[], usual: number) =>
        topUp(chosen.flatMap(fits), spare.flatMap(fits), least).slice(0, limit(usual))
      if (/\b(urls?|links?)\b/.test(hint))
        return page.material.urls.flatMap(fits).slice(0, limit(10))
      if (POINT_LIKE.test(hint)) return topped(pickPoints(ranked, page.said, limit(POINTS)), POINTS)
      return topped(findKeyTerms(page.material), LABELS)
    }
    case 'object': {
      const sentences = pickSentences(ranked, limit(POINTS))
      return topUp(sentences, spareTexts(page.material, ranked), least)
        .slice(0, limit(POINTS))
        .map((sentence) => {
          const material = { ...takeApart(sentence), request: page.material.request }
          return fill('', items, { ...page, material, signals: measure(material) }, depth + 1)
        })
    }
    default:
      return Array.from({ length: least }, () => fill(hint, items, page, depth + 1))
  }
}

/** What else there is to quote, best first: all sentences, their parts, headings and terms. */
const spareTexts = (material: Material, ranked: ReturnType<typeof rankSentences>): string[] => {
  const sentences = ranked.map(({ sentence }) => sentence)
  const parts = sentences.flatMap((sentence) => sentence.split(/[;:,—–]\s+|\s[—–-]\s/))
  const words = sentences.flatMap((sentence) => sentence.split(/\s+/))
  return [
    ...sentences,
    ...parts.filter((part) => part.split(' ').length > 2),
    ...material.headings,
    material.title,
    ...findKeyTerms(material),
    ...words,
  ].filter((text) => text !== '')
}

const POINT_LIKE =
  /\b(points?|takeaways?|ideas?|insights?|highlights?|facts?|findings?|quotes?|sentences?|bullets?|summar\w+|claims?|arguments?|recommendations?|steps?)\b/
const CATCH_ALL = /^(other|others|general|misc\w*|news|uncategori[sz]ed)$/i

const isCatchAll = (value: unknown): boolean => typeof value === 'string' && CATCH_ALL.test(value)

const choose = (hint: string, values: readonly unknown[], { material, signals }: Page): unknown => {
  const words = values.filter((value) => typeof value === 'string')
  const level = levelFor(hint, signals)
  if (words.length < values.length) {
    const index = Math.min(values.length - 1, Math.floor(level * values.length))
    return values[index]
  }
  const labels = rankLabels(words, material)
  return (
    chooseOnScale(words, level) ??
    labels[0] ??
    words.find((word) => CATCH_ALL.test(word)) ??
    values[0]
  )
}

/** Central sentences that were not used yet; repeats only if there are no others. */
const pickPoints = (
  ranked: ReturnType<typeof rankSentences>,
  said: readonly string[],
  count: number,
): string[] => {
  const isSaid = ({ sentence }: { sentence: string }) =>
    said.some((text) => text.includes(sentence))
  const fresh = pickSentences(
    ranked.filter((candidate) => !isSaid(candidate)),
    count,
  )
  return topUp(
    fresh,
    ranked.filter(isSaid).map(({ sentence }) => sentence),
    count,
  )
}

/** `is_security_related` is true if that is the subject of the text. */
const isAbout = (name: string, material: Material): boolean => {
  const subject = spaced(name).replace(/\b(is|has|are|related|about|mentions?|contains?)\b/g, '')
  return rankLabels([subject.trim()], material).length > 0
}

/** Adds from the reserve, without repeating anything, until there are enough. */
const topUp = <Item>(chosen: Item[], reserve: readonly Item[], least: number): Item[] =>
  chosen.length >= least ? chosen : [...new Set([...chosen, ...reserve])].slice(0, least)

const spaced = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()

/** The name comes first, so that it outweighs the description. */
const hintOf = (name: string, shape: SchemaShape): string =>
  `${spaced(name)} ${(shape.description ?? '').toLowerCase()}`.trim()

const WORDS_A_MINUTE = 220

/** A number for a field: a count, or a measurement mapped to the field's scale. */
const fillNumber = (hint: string, shape: SchemaShape, signals: Signals, whole: boolean): number => {
  const { low, high } = rangeOf(hint, shape, whole)
  const step = shape.multipleOf
  const fit = (value: number) => {
    const inside = Math.min(high, Math.max(low, whole ? Math.round(value) : value))
    if (step === undefined) return inside
    const below = Math.floor(inside / step) * step
    return below >= low ? below : below + step
  }
  if (/\bword count\b|\bwords\b/.test(hint)) return fit(signals.words)
  if (/\bminutes?\b|\breading time\b/.test(hint))
    return fit(Math.ceil(signals.words / WORDS_A_MINUTE))
  if (typeof shape.default === 'number') return fit(shape.default)
  const value = low + levelFor(hint, signals) * (high - low)
  return fit(whole ? value : Math.round(value * 100) / 100)
}

/** The bounds in the schema, otherwise those in its description, otherwise the usual ones. */
const rangeOf = (
  hint: string,
  shape: SchemaShape,
  whole: boolean,
): { low: number; high: number } => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape
  const gap = (exclusiveMaximum ?? maximum ?? 1) - (exclusiveMinimum ?? minimum ?? 0)
  // Inside of exclusive bounds, however close they are.
  const step = whole ? 1 : Math.min(0.01, Math.abs(gap) / 4 || 0.01)
  const spoken = /(?<!\d)(-?\d+(?:\.\d+)?)\s*(?:-|–|to|and|\.\.+|…)\s*(\d+(?:\.\d+)?)/.exec(hint)
  const least = bound(minimum, exclusiveMinimum, step, Math.max)
  const most = bound(maximum, exclusiveMaximum, -step, Math.min)
  const usualLow = spoken ? Number(spoken[1]) : whole ? 1 : 0
  const low = least ?? Math.min(usualLow, most ?? usualLow)
  const usualHigh = spoken ? Number(spoken[2]) : whole ? 100 : 1
  const high = Math.max(low, most ?? Math.max(low, usualHigh))
  return whole ? { low: Math.ceil(low), high: Math.floor(high) } : { low, high }
}

const bound = (
  inclusive: number | undefined,
  exclusive: number | undefined,
  step: number,
  stricter: (one: number, other: number) => number,
): number | undefined => {
  const within = exclusive === undefined ? undefined : exclusive + step
  return inclusive === undefined || within === undefined
    ? (inclusive ?? within)
    : stricter(inclusive, within)
}
