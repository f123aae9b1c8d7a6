import { chooseOnScale, rankLabels } from './choose-label.ts'
import { fillText } from './fill-text.ts'
import { findKeyTerms } from './key-terms.ts'
import { type Material, takeApart } from './material.ts'
import { pickSentences, rankSentences } from './rank-sentences.ts'
import { readSchema, type SchemaShape, typeOfSchema } from './schema-shape.ts'
import { levelFor, measure, type Signals } from './signals.ts'

const MAX_DEPTH = 6
const LABELS = 5
const POINTS = 3

interface Page {
  material: Material
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
    { material, signals: measure(material), root: schema, said: [] },
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
      const text = fillText(hint, shape, page.material)
      page.said.push(text)
      return text
    }
  }
}

const fillObject = (shape: SchemaShape, page: Page, depth: number): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(depth > MAX_DEPTH ? {} : (shape.properties ?? {})).map(([name, property]) => [
      name,
      fill(name, readSchema(property, page.root), page, depth + 1),
    ]),
  )

const fillArray = (hint: string, shape: SchemaShape, page: Page, depth: number): unknown[] => {
  const items = readSchema(shape.items, page.root)
  const limit = (usual: number) =>
    Math.min(Math.max(usual, shape.minItems ?? 0), shape.maxItems ?? Number.POSITIVE_INFINITY)
  if (items.enum !== undefined) {
    const labels = items.enum.filter((value) => typeof value === 'string')
    const fitting = rankLabels(labels, page.material)
    const rest = labels.filter((label) => !fitting.includes(label))
    const enough = fitting.length > 0 ? fitting : rest.filter((label) => CATCH_ALL.test(label))
    return topUp(enough, rest, shape.minItems ?? 0).slice(0, limit(LABELS))
  }
  const ranked = rankSentences(page.material)
  switch (typeOfSchema(items)) {
    case 'string': {
      if (/\b(urls?|links?)\b/.test(hint)) return page.material.urls.slice(0, limit(10))
      const terms = findKeyTerms(page.material)
      if (POINT_LIKE.test(hint)) return pickPoints(ranked, page.said, limit(POINTS))
      const sentences = pickSentences(ranked, limit(POINTS))
      return topUp(terms, sentences, shape.minItems ?? 0).slice(0, limit(LABELS))
    }
    case 'object':
      return pickSentences(ranked, limit(POINTS)).map((sentence) => {
        const material = { ...takeApart(sentence), request: page.material.request }
        return fill('', items, { ...page, material, signals: measure(material) }, depth + 1)
      })
    default:
      return Array.from({ length: shape.minItems ?? 0 }, () => fill(hint, items, page, depth + 1))
  }
}

const POINT_LIKE =
  /\b(points?|takeaways?|ideas?|insights?|highlights?|facts?|findings?|quotes?|sentences?|bullets?|summar\w+|claims?|arguments?|recommendations?|steps?)\b/
const CATCH_ALL = /^(other|others|general|misc\w*|news|uncategori[sz]ed)$/i

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

const topUp = (chosen: string[], reserve: readonly string[], least: number): string[] =>
  chosen.length >= least ? chosen : [...chosen, ...reserve].slice(0, least)

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
  const fit = (value: number) => Math.min(high, Math.max(low, whole ? Math.round(value) : value))
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
  const step = whole ? 1 : 0.01
  const spoken = /(?<!\d)(-?\d+(?:\.\d+)?)\s*(?:-|–|to|and|\.\.+|…)\s*(\d+(?:\.\d+)?)/.exec(hint)
  const low =
    shape.minimum ??
    (shape.exclusiveMinimum === undefined ? undefined : shape.exclusiveMinimum + step) ??
    (spoken ? Number(spoken[1]) : whole ? 1 : 0)
  const high =
    shape.maximum ??
    (shape.exclusiveMaximum === undefined ? undefined : shape.exclusiveMaximum - step) ??
    (spoken ? Number(spoken[2]) : Math.max(low, whole ? 100 : 1))
  return { low, high: Math.max(low, high) }
}
