import { compileRouting, markOthers } from '../compiled-routing.ts'
import { readRequest } from '../read-request.ts'
import { DEFAULT_ROUTING } from '../routing.ts'
import { featuresOf } from './features.ts'
import { isLabel, LABEL_NAMES, type Label } from './labels.ts'
import { wordSetsOf } from './word-sets.ts'

interface Example {
  label: number
  rows: Row[]
}

/** The weights of a feature, one per label. */
interface Row {
  name: string
  seen: number
  weights: Float64Array
}

const EPOCHS = 25
const STEP = 0.3
/** Weights are kept as integers; smaller ones decide nothing. */
const SCALE = 100
const SMALLEST = 8
/** What is seen once is chance, except for a word itself. */
const SEEN = 2

/**
 * The weights of the classifier as text, learnt from tables of labelled sentences. Only sums,
 * products and quotients in a fixed order, which every machine rounds alike, so that the result is
 * the same everywhere.
 */
export const trainWeights = (...tables: readonly string[]): string => {
  const rows = new Map<string, Row>()
  const sentences = tables.flatMap(readTable)
  const sets = wordSetsOf(DEFAULT_ROUTING)
  const examples = sentences.map(({ text, label }) => toExample(text, label, { rows, sets }))
  const kept = examples.map(({ label, rows: all }) => ({ label, rows: all.filter(isFrequent) }))
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    for (const at of shuffled(kept.length, epoch)) {
      const example = kept[at]
      if (example !== undefined) learn(example, STEP / (1 + epoch / 5))
    }
  }
  return [...rows.values()]
    .filter(isFrequent)
    .map(renderRow)
    .filter((line) => line !== '')
    .sort()
    .join('\n')
}

const isFrequent = ({ name, seen }: Row): boolean => seen >= SEEN || !/[_*^{]/.test(name)

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

const toExample = (
  text: string,
  label: Label,
  { rows, sets }: { rows: Map<string, Row>; sets: ReturnType<typeof wordSetsOf> },
): Example => {
  const { tokens } = readRequest(text)
  markOthers(tokens, compileRouting(DEFAULT_ROUTING))
  const own = featuresOf(tokens, sets).map(({ name }) => {
    const row = rows.get(name) ?? { name, seen: 0, weights: new Float64Array(LABEL_NAMES.length) }
    row.seen += 1
    rows.set(name, row)
    return row
  })
  return { label: LABEL_NAMES.indexOf(label), rows: own }
}

/** Of the example that is learnt from; made once, because it is needed a hundred thousand times. */
const scores = new Float64Array(LABEL_NAMES.length)

/** Moves the score of the right label above that of its strongest rival. */
const learn = ({ label, rows }: Example, step: number): void => {
  scores.fill(0)
  for (const { weights } of rows) {
    for (let at = 0; at < scores.length; at += 1)
      scores[at] = (scores[at] ?? 0) + (weights[at] ?? 0)
  }
  const rival = scores.reduce(
    (top, score, at) => (at !== label && score > (scores[top] ?? 0) ? at : top),
    label === 0 ? 1 : 0,
  )
  const missing = 1 - (scores[label] ?? 0) + (scores[rival] ?? 0)
  if (missing <= 0) return
  const move = (missing * step) / (rows.length + 4)
  for (const { weights } of rows) {
    weights[label] = (weights[label] ?? 0) + move
    weights[rival] = (weights[rival] ?? 0) - move
  }
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

/** `valid c12 f-9`: the feature, and for each label that it speaks for or against a weight. */
const renderRow = ({ name, weights }: Row): string => {
  const parts = [...weights].flatMap((weight, at) => {
    const rounded = Math.round(weight * SCALE)
    const isSmall = rounded < SMALLEST && rounded > -SMALLEST
    return isSmall ? [] : [`${String.fromCharCode(FIRST_LETTER + at)}${rounded}`]
  })
  return parts.length === 0 ? '' : `${name} ${parts.join('')}`
}

const FIRST_LETTER = 97
