import type { Verdict } from '@steward/contract'
import type { Paint } from '../../output/paint.ts'

/** Red for refused, green for silently allowed. */
export const paintVerdict = (verdict: Verdict, paint: Paint): string => {
  if (verdict === 'deny') return paint.red(verdict)
  return verdict === 'pass' ? paint.green(verdict) : paint.yellow(verdict)
}
