import type { Token } from '../token.ts'
import { featuresOf } from './features.ts'
import { LABEL_NAMES, type Label } from './labels.ts'
import { unpackWeights, type Weights } from './pack-weights.ts'
import { slotOf } from './slot-of.ts'
import { WEIGHTS } from './weights.ts'

export interface Classified {
  label: Label
  /** The words that speak most for it, strongest first. */
  words: string[]
}

const STRONGEST = 3

let table: Weights | undefined

/** Read on first use: most requests match a rule. */
const readWeights = (): Weights => {
  table ??= unpackWeights(WEIGHTS)
  return table
}

/** A label that a rule found, and how much more must speak for another one. */
export interface Known {
  label: Label
  lead: number
}

/**
 * What a request is about, by the weights of its words; undefined if no word speaks for it, or not
 * clearly more than for the label that is known. Sums of integers; of equal labels the first by name wins.
 */
export const classify = (
  tokens: readonly Token[],
  setsOf: ReadonlyMap<string, readonly string[]>,
  known?: Known,
): Classified | undefined => {
  const weights = readWeights()
  const features = featuresOf(tokens, setsOf)
  const scores = LABEL_NAMES.map(() => 0)
  for (const { name } of features) {
    for (const [at, weight] of weights.get(slotOf(name)) ?? [])
      scores[at] = (scores[at] ?? 0) + weight
  }
  const best = scores.reduce((top, score, at) => (score > (scores[top] ?? 0) ? at : top), 0)
  const label = LABEL_NAMES[best]
  if (known !== undefined) {
    const lead = (scores[best] ?? 0) - (scores[LABEL_NAMES.indexOf(known.label)] ?? 0)
    if (lead < known.lead) return undefined
  }
  const shares = new Map<Token, number>()
  for (const { name, words } of features) {
    const [, weight = 0] = weights.get(slotOf(name))?.find(([at]) => at === best) ?? []
    for (const word of words) shares.set(word, (shares.get(word) ?? 0) + weight / words.length)
  }
  const strongest = [...shares]
    .filter(([, share]) => share > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([{ text }]) => text)
  const words = [...new Set(strongest)].slice(0, STRONGEST)
  return label === undefined || words.length === 0 ? undefined : { label, words }
}
