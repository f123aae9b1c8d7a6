import { EFFORTS, type Effort, PHASES, type Phase } from '@steward/contract'
import type { Reading } from './read-request.ts'

/** An effort that the request names itself: `at E4`, `effort level 3`. */
export const readEffort = ({ tokens }: Reading): Effort | undefined => {
  for (const [index, { text, lower }] of tokens.entries()) {
    const named = EFFORTS.find((effort) => effort === text)
    if (named !== undefined) return named
    if (lower !== 'effort') continue
    const next = tokens.slice(index + 1, index + 3).map((token) => token.lower)
    const number = next.find(
      (word, at) => /^e?[1-5]$/.test(word) && (at === 0 || next[0] === 'level'),
    )
    const level = EFFORTS.find(
      (effort) => number !== undefined && effort.endsWith(number.slice(-1)),
    )
    if (level !== undefined) return level
  }
  return undefined
}

/** A phase that the request names itself: `in VERIFY`, `the verify phase`. */
export const readPhase = ({ tokens }: Reading): Phase | undefined => {
  const isShouting = tokens.every(({ text }) => text === text.toUpperCase())
  for (const [index, { text, lower }] of tokens.entries()) {
    const named = PHASES.find(
      (phase) => phase === lower.toUpperCase() || phase === GERUNDS.get(lower),
    )
    if (named === undefined) continue
    if (!isShouting && text === named) return named
    if (PHASE_WORDS.has(tokens[index + 1]?.lower ?? '')) return named
  }
  return undefined
}

const PHASE_WORDS = new Set(['phase', 'stage', 'step'])
const GERUNDS = new Map<string, Phase>([
  ['verification', 'VERIFY'],
  ['verifying', 'VERIFY'],
  ['planning', 'PLAN'],
  ['building', 'BUILD'],
  ['learning', 'LEARN'],
])
