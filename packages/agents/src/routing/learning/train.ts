import { compileRouting, markOthers } from '../compiled-routing.ts'
import { readRequest } from '../read-request.ts'
import { DEFAULT_ROUTING } from '../routing.ts'
import { featuresOf } from './features.ts'
import { isLabel, LABEL_NAMES, type Label } from './labels.ts'
import { type PackedWeights, packWeights } from './pack-weights.ts'
import { wordSetsOf } from './word-sets.ts'

interface Example {
  label: number
  rows: Row[]
}

/** A feature: the examples it occurs in, and its weights, one per label. */
interface Row {
  name: string
  examples: number[]
  weights: Float64Array
}

const EPOCHS = 10
const STEP = 0.2
/** How much slower each epoch learns. */
const DECAY = 0.2
/** Pulls weights towards zero, so that no single feature decides alone. */
const SHRINK = 0.002
/** Weights are kept as multiples of a quarter; smaller ones decide little. */
const SCALE = 4
/** So many features are kept, the most important ones. */
const KEPT = 5000
/** What is seen once is chance, except for a word itself. */
const SEEN = 2

/**
 * The weights of the classifier as text, learnt from tables of labelled sentences by logistic
 * regression: first of all features, then again of the important ones alone. Only sums, products,
 * quotients and square roots in a fixed order, which every machine rounds alike, so that the result
 * is the same everywhere.
 */
export const trainWeights = (...tables: readonly string[]): string => {
  const examples = readExamples(tables)
  const all = distinctRows(examples)
  learnAll(examples, all)
  const kept = mostImportant(all)
  for (const { weights } of kept) weights.fill(0)
  learnAll(examples, kept)
  return packWeights(new Map([...kept].map((row) => [row.name, roundWeights(row)])))
}

const readExamples = (tables: readonly string[]): Example[] => {
  const rows = new Map<string, Row>()
  const sets = wordSetsOf(DEFAULT_ROUTING)
  const compiled = compileRouting(DEFAULT_ROUTING)
  return tables.flatMap(readTable).map(({ text, label }, at) => {
    const { tokens } = readRequest(text)
    markOthers(tokens, compiled)
    const own = featuresOf(tokens, sets).map(({ name }) => {
      const known = rows.get(name)
      const row = known ?? { name, examples: [], weights: new Float64Array(LABEL_NAMES.length) }
      if (known === undefined) rows.set(name, row)
      row.examples.push(at)
      return row
    })
    return { label: LABEL_NAMES.indexOf(label), rows: own }
  })
}

/** Below each `== label` its sentences; those with a context or for other answers are skipped. */
const readTable = (table: string): { text: string; label: Label }[] => {
  let label: Label | undefined
  return table.split('\n').flatMap((line) => {
    if (line.startsWith('== ')) {
      const heading = line.slice(3)
      label = isLabel(heading) ? heading : undefined
      return []
    }
    return label === undefined || line === '' || line.startsWith('[') ? [] : [{ text: line, label }]
  })
}

/** Of features that occur in the same examples one is enough: the most general. */
const distinctRows = (examples: readonly Example[]): Set<Row> => {
  const byExamples = new Map<string, Row>()
  for (const row of new Set(examples.flatMap(({ rows }) => rows))) {
    if (row.examples.length < SEEN && /[_*^{]/.test(row.name)) continue
    const key = row.examples.join(' ')
    const known = byExamples.get(key)
    if (known === undefined || generality(row) < generality(known)) byExamples.set(key, row)
  }
  return new Set(byExamples.values())
}

/** The beginning of a word, then a word, then a first word, then everything else. */
const generality = ({ name }: Row): number => {
  if (name.endsWith('*')) return 0
  if (/^[\p{L}\p{N}][^_]*$/u.test(name)) return 1
  return name.startsWith('^') ? 2 : 3
}

const learnAll = (examples: readonly Example[], among: ReadonlySet<Row>): void => {
  const reduced = examples.map(({ label, rows }) => ({
    label,
    rows: rows.filter((row) => among.has(row)),
  }))
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    const step = STEP / (1 + epoch * DECAY)
    for (const at of shuffled(reduced.length, epoch)) {
      const example = reduced[at]
      if (example !== undefined) learn(example, step)
    }
  }
}

/** Of the example that is learnt from; made once, because it is needed a hundred thousand times. */
const scores = new Float64Array(LABEL_NAMES.length)

/** Raises the probability of the right label and lowers those of the others. */
const learn = ({ label, rows }: Example, step: number): void => {
  scores.fill(0)
  for (const { weights } of rows) {
    for (let at = 0; at < scores.length; at += 1)
      scores[at] = (scores[at] ?? 0) + (weights[at] ?? 0)
  }
  const top = scores.reduce((most, score) => (score > most ? score : most))
  let sum = 0
  for (let at = 0; at < scores.length; at += 1) {
    const share = exponential((scores[at] ?? 0) - top)
    scores[at] = share
    sum += share
  }
  for (const { weights } of rows) {
    for (let at = 0; at < scores.length; at += 1) {
      const weight = weights[at] ?? 0
      const error = (scores[at] ?? 0) / sum - (at === label ? 1 : 0)
      weights[at] = weight - step * (error + SHRINK * weight)
    }
  }
}

const SQUARINGS = 12
const SMALLEST_EXPONENT = -30

/** Near enough to `Math.exp` for exponents up to 0, but rounded alike on every machine. */
const exponential = (exponent: number): number => {
  if (exponent < SMALLEST_EXPONENT) return 0
  let power = 1 + exponent / 2 ** SQUARINGS
  for (let count = 0; count < SQUARINGS; count += 1) power *= power
  return power
}

/** Those whose weights differ most between labels and that occur often. */
const mostImportant = (rows: ReadonlySet<Row>): Set<Row> => {
  const rated = [...rows].map((row) => {
    const mean = row.weights.reduce((sum, weight) => sum + weight, 0) / row.weights.length
    const spread = row.weights.reduce((sum, weight) => sum + (weight - mean) * (weight - mean), 0)
    return { row, importance: spread * Math.sqrt(row.examples.length) }
  })
  rated.sort((a, b) => b.importance - a.importance)
  return new Set(rated.slice(0, KEPT).map(({ row }) => row))
}

/** Only differences between labels count, so most weights become zero below the median. */
const roundWeights = ({ weights }: Row): PackedWeights => {
  const sorted = [...weights].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const median = ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
  return [...weights].flatMap((weight, at) => {
    const rounded = Math.round((weight - median) * SCALE)
    return rounded === 0 ? [] : [[at, rounded] as const]
  })
}

/** The numbers below `count` in an order that depends on `seed` alone. */
const shuffled = (count: number, seed: number): number[] => {
  const order = Array.from({ length: count }, (_, n) => n)
  let state = seed + 1
  for (let at = count - 1; at > 0; at -= 1) {
    state = (state * 48_271) % 2_147_483_647
    const other = state % (at + 1)
    const [a = 0, b = 0] = [order[at], order[other]]
    order[at] = b
    order[other] = a
  }
  return order
}
