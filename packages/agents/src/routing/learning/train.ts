import { compileRouting, markOthers } from '../compiled-routing.ts'
import { readRequest } from '../read-request.ts'
import { DEFAULT_ROUTING } from '../routing.ts'
import { featuresOf } from './features.ts'
import { isLabel, LABEL_NAMES, type Label } from './labels.ts'
import { type FeatureWeights, packWeights } from './pack-weights.ts'
import { slotOf } from './slot-of.ts'
import { wordSetsOf } from './word-sets.ts'

interface Example {
  label: number
  rows: Row[]
}

/** The features of a slot: in how many examples they occur, and their weights, one per label. */
interface Row {
  slot: number
  seen: number
  weights: Float64Array
  /** Which weights are not removed. */
  isKept: boolean[]
}

/** Rounds over all examples before weights are removed. */
const EPOCHS = 10
/** Weights are removed in so many rounds, each followed by epochs that train the others. */
const ROUNDS = 16
const EPOCHS_PER_ROUND = 2
const LAST_EPOCHS = 12
/** The result is the mean of the weights after each of this many last epochs. */
const AVERAGED = 8
const STEP = 0.2
const STEP_LATER = 0.1
/** How much slower each epoch learns. */
const DECAY = 0.2
const LAST_DECAY = 1
/** Pulls weights towards zero, so that no single feature decides alone. */
const SHRINK = 0.002
/** The share of the features of an example that an epoch skips, so that the others are trained as well. */
const SKIPPED = 0.3
const SKIPPED_LATER = 0.15
/** The number of weights to keep, the most important ones. */
const KEPT = 12_800
/** The importance of a negative weight, compared with a positive one of the same size. */
const AGAINST = 0.3
/** Weights are rounded to multiples of a third. */
const SCALE = 3
/** Rarer features are removed, because one example shows no pattern. */
const SEEN = 2
/** Sentences of the first table must be routed as written, so each counts this many times. */
const TIMES_OF_FIRST = 3

/**
 * The weights of the classifier as text, learnt from tables of labelled sentences by logistic
 * regression, first with all weights, then with fewer and fewer. Only sums, products, quotients and
 * square roots in a fixed order, which every machine rounds alike, so that the result is the same
 * everywhere.
 */
export const trainWeights = (...tables: readonly string[]): string => {
  const { examples, rows } = readExamples(tables)
  const skip = createSkip()
  const first = { epochs: EPOCHS, seed: 0, skipped: SKIPPED, step: STEP, decay: DECAY }
  learnAll(examples, first, skip)
  for (const row of rows) centre(row)
  let left = (rows.length * LABEL_NAMES.length) / 2
  // The sixteenth root, so that every round keeps the same share.
  const share = Math.sqrt(Math.sqrt(Math.sqrt(Math.sqrt(KEPT / left))))
  for (let round = 1; round <= ROUNDS; round += 1) {
    left *= share
    keepMostImportant(rows, round === ROUNDS ? KEPT : Math.floor(left))
    const length =
      round === ROUNDS
        ? { epochs: LAST_EPOCHS, decay: LAST_DECAY }
        : { epochs: EPOCHS_PER_ROUND, decay: DECAY }
    const later = { seed: round * 20, skipped: SKIPPED_LATER, step: STEP_LATER, ...length }
    if (round < ROUNDS) learnAll(examples, later, skip)
    else learnAveraged(examples, rows, later, skip)
  }
  return packWeights(new Map(rows.flatMap(roundWeights)))
}

const readExamples = (tables: readonly string[]): { examples: Example[]; rows: Row[] } => {
  const found = new Map<number, Row>()
  const sets = wordSetsOf(DEFAULT_ROUTING)
  const compiled = compileRouting(DEFAULT_ROUTING)
  const examples = tables.flatMap(readTable).map(({ text, label }) => {
    const { tokens } = readRequest(text)
    markOthers(tokens, compiled)
    const slots = new Set(featuresOf(tokens, sets).map(({ name }) => slotOf(name)))
    const own = [...slots].map((slot) => {
      const known = found.get(slot)
      const row = known ?? {
        slot,
        seen: 0,
        weights: new Float64Array(LABEL_NAMES.length),
        isKept: LABEL_NAMES.map(() => true),
      }
      if (known === undefined) found.set(slot, row)
      row.seen += 1
      return row
    })
    return { label: LABEL_NAMES.indexOf(label), rows: own }
  })
  const reduced = examples.map(({ label, rows }) => ({
    label,
    rows: rows.filter(({ seen }) => seen >= SEEN),
  }))
  const first = reduced.slice(0, readTable(tables[0] ?? '').length)
  return {
    examples: [...reduced, ...Array.from({ length: TIMES_OF_FIRST - 1 }, () => first).flat()],
    rows: [...found.values()].filter(({ seen }) => seen >= SEEN),
  }
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

interface Course {
  epochs: number
  /** Determines the order of the examples. */
  seed: number
  /** The share of features to skip. */
  skipped: number
  step: number
  decay: number
}

const learnAll = (
  examples: readonly Example[],
  course: Course,
  skip: () => number,
  afterEpoch?: (epoch: number) => void,
): void => {
  for (let epoch = 0; epoch < course.epochs; epoch += 1) {
    const step = course.step / (1 + epoch * course.decay)
    for (const at of shuffled(examples.length, course.seed + epoch)) {
      const example = examples[at]
      if (example === undefined) continue
      const rows = example.rows.filter(() => skip() >= course.skipped)
      learn({ label: example.label, rows }, step)
    }
    afterEpoch?.(epoch)
  }
}

/** Learns like `learnAll`; the mean depends less on the examples that happen to come last. */
const learnAveraged = (
  examples: readonly Example[],
  rows: readonly Row[],
  course: Course,
  skip: () => number,
): void => {
  const sums = new Map(rows.map((row) => [row, new Float64Array(row.weights.length)]))
  learnAll(examples, course, skip, (epoch) => {
    if (epoch < course.epochs - AVERAGED) return
    for (const [{ weights }, sum] of sums) {
      for (const [at, weight] of weights.entries()) sum[at] = (sum[at] ?? 0) + weight
    }
  })
  for (const [{ weights }, sum] of sums) {
    for (const [at, weight] of sum.entries()) weights[at] = weight / AVERAGED
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
  for (const { weights, isKept } of rows) {
    for (let at = 0; at < scores.length; at += 1) {
      if (isKept[at] !== true) continue
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

/** Only differences between labels count, so that most weights can be near zero. */
const centre = ({ weights }: Row): void => {
  const sorted = [...weights].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const median = ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
  for (const [at, weight] of weights.entries()) weights[at] = weight - median
}

/** Removes all weights but the largest ones of the features that occur most often. */
const keepMostImportant = (rows: readonly Row[], count: number): void => {
  const rated = rows.flatMap((row) =>
    [...row.weights].flatMap((weight, at) => {
      if (row.isKept[at] !== true) return []
      const worth = (weight < 0 ? -AGAINST * weight : weight) * Math.sqrt(row.seen)
      return [{ row, at, worth }]
    }),
  )
  rated.sort((a, b) => b.worth - a.worth)
  for (const { row, at } of rated.slice(count)) {
    row.isKept[at] = false
    row.weights[at] = 0
  }
}

const roundWeights = ({ slot, weights }: Row): (readonly [number, FeatureWeights])[] => {
  const rounded = [...weights].flatMap((weight, at) => {
    if (weight === 0) return []
    const size = Math.max(Math.round(Math.abs(weight) * SCALE), 1)
    return [[at, weight < 0 ? -size : size] as const]
  })
  return rounded.length === 0 ? [] : [[slot, rounded]]
}

/** Pseudo-random numbers between 0 and 1 with a fixed seed. */
const createSkip = (): (() => number) => {
  let state = 7
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
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
