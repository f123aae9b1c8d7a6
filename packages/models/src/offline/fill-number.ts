import type { SchemaShape } from './schema-shape.ts'
import { levelFor, type Signals } from './signals.ts'

const WORDS_A_MINUTE = 220

/** A number for a field: a count that can be counted, or a measurement laid on the field's scale. */
export const fillNumber = (
  hint: string,
  shape: SchemaShape,
  signals: Signals,
  whole: boolean,
): number => {
  const { low, high } = rangeOf(hint, shape, whole)
  const fit = (value: number) => Math.min(high, Math.max(low, whole ? Math.round(value) : value))
  if (/\bword count\b|\bwords\b/.test(hint)) return fit(signals.words)
  if (/\bminutes?\b|\breading time\b/.test(hint))
    return fit(Math.ceil(signals.words / WORDS_A_MINUTE))
  if (typeof shape.default === 'number') return fit(shape.default)
  const value = low + levelFor(hint, signals) * (high - low)
  return fit(whole ? value : Math.round(value * 100) / 100)
}

/** The bounds the schema sets, else those its description speaks of, else the usual ones. */
const rangeOf = (
  hint: string,
  shape: SchemaShape,
  whole: boolean,
): { low: number; high: number } => {
  const step = whole ? 1 : 0.01
  const spoken = /(-?\d+(?:\.\d+)?)\s*(?:-|–|to|and|\.\.+|…)\s*(\d+(?:\.\d+)?)/.exec(hint)
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
