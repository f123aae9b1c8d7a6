/** The strip's phases; COMPLETE is the end of it and has no field of its own. Spec 2, Display lanes. */
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

/** A phase that was entered is past once the session is elsewhere: also when it went back since. */
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
