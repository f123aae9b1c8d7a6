import { type CodeBit, createBitReader, createBitWriter } from './bit-coder.ts'
import { LABEL_NAMES } from './labels.ts'
import { bytesOfText, textOfBytes } from './text-of-bytes.ts'

/** The weights of a feature: for each label that it speaks for or against, in the order of the labels. */
export type FeatureWeights = readonly (readonly [label: number, weight: number])[]

/** The weights of features, by slot. */
export type Weights = ReadonlyMap<number, FeatureWeights>

/**
 * For each slot in ascending order: the distance from the one before, for which labels it has
 * weights, and their signs and sizes.
 */
export const packWeights = (weights: Weights): string => {
  const { code, end } = createBitWriter()
  const known = [...weights].sort(([a], [b]) => a - b)
  codeNumber(code, 'count', known.length)
  let before = -1
  for (const [slot, row] of known) {
    codeNumber(code, 'gap', slot - before)
    before = slot
    codeRow(code, new Map(row))
  }
  return textOfBytes(end())
}

export const unpackWeights = (text: string): Map<number, FeatureWeights> => {
  const code = createBitReader(bytesOfText(text))
  const weights = new Map<number, FeatureWeights>()
  const count = codeNumber(code, 'count')
  let slot = -1
  while (weights.size < count) {
    slot += codeNumber(code, 'gap')
    weights.set(slot, codeRow(code))
  }
  return weights
}

/** Contexts tell rows with this many weights so far apart. */
const MOST_BEFORE = 3

/** Writes the row if given, otherwise reads it. */
const codeRow = (code: CodeBit, known?: ReadonlyMap<number, number>): FeatureWeights => {
  const row: (readonly [number, number])[] = []
  for (const label of LABEL_NAMES.keys()) {
    const weight = known?.get(label) ?? 0
    const before = row.length < MOST_BEFORE ? row.length : MOST_BEFORE
    if (!code(`label ${label} ${before}`, weight !== 0)) continue
    const isAgainst = code(`against ${label}`, weight < 0)
    const size = codeNumber(code, isAgainst ? 'against' : 'for', Math.abs(weight))
    row.push([label, isAgainst ? -size : size])
  }
  return row
}

/** Writes a number from 1 if given, otherwise reads it: how many binary digits it has, and the digits. */
const codeNumber = (code: CodeBit, context: string, known = 0): number => {
  let digits = 1
  while (code(`${context} ${digits}`, known >= 2 ** digits)) digits += 1
  let value = 1
  for (let at = digits - 2; at >= 0; at -= 1) {
    const isSet = code(`${context} ${digits} ${value}`, Math.floor(known / 2 ** at) % 2 === 1)
    value = value * 2 + (isSet ? 1 : 0)
  }
  return value
}
