/** The strip's phases; COMPLETE is its end and has no field. Spec 2, Display lanes. */
export const STRIP_PHASES = [
  'OBSERVE',
  'THINK',
  'PLAN',
  'BUILD',
  'EXECUTE',
  'VERIFY',
  'LEARN',
] as const

export type StripState = 'past' | 'now' | 'ahead'

/** An entered phase counts as past once the session is elsewhere, even if it went back. */
export const stateOf = (
  phase: string,
  current: string,
  history: readonly { phase: string }[],
): StripState => {
  const now = current.toUpperCase()
  if (now === phase) return 'now'
  const entered = history.some((entry) => entry.phase.toUpperCase() === phase)
  return entered || now === 'COMPLETE' ? 'past' : 'ahead'
}
