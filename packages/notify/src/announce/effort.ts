import { nearestHint, PHASES, type Phase, StewardError } from '@steward/contract'

/** Spec 2, Announcement rules 6: the duration of each effort and the phases it announces. */
export const EFFORTS = {
  standard: { budgetMinutes: 2, phases: ['OBSERVE', 'VERIFY'] },
  extended: { budgetMinutes: 8, phases: PHASES },
  advanced: { budgetMinutes: 16, phases: PHASES },
  deep: { budgetMinutes: 32, phases: PHASES },
  comprehensive: { budgetMinutes: 120, phases: PHASES },
} as const satisfies Record<string, { budgetMinutes: number; phases: readonly Phase[] }>
export type Effort = keyof typeof EFFORTS
export const EFFORT_NAMES = ['standard', 'extended', 'advanced', 'deep', 'comprehensive'] as const

/** Whether a phase is announced at this effort. */
export const speaksPhase = (effort: Effort, phase: Phase): boolean => {
  const phases: readonly Phase[] = EFFORTS[effort].phases
  return phases.includes(phase)
}

/** An effort by its name, in any case. */
export const readEffort = (name: string): Effort => {
  const found = EFFORT_NAMES.find((effort) => effort === name.trim().toLowerCase())
  if (found !== undefined) return found
  throw unknownWord('effort', name, EFFORT_NAMES)
}

/** A phase by its name, in any case. */
export const readPhase = (name: string): Phase => {
  const found = PHASES.find((phase) => phase === name.trim().toUpperCase())
  if (found !== undefined) return found
  throw unknownWord('phase', name, PHASES)
}

const unknownWord = (field: string, name: string, known: readonly string[]): StewardError => {
  const reason = `"${name}" is not one of ${known.join(', ')}${nearestHint(name, known)}`
  return new StewardError('invalid_input', { subject: field, reason, field })
}
