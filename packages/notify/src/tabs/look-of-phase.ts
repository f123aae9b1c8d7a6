import type { Phase } from '@steward/contract'
import { cleanTitle } from './clean-title.ts'
import { PHASE_LOOKS, type TabLook } from './phase-looks.ts'

/** The tab of a session in a phase: its icon before the session's name. */
export const lookOfPhase = (phase: Phase, name: string): TabLook => {
  const { icon, background } = PHASE_LOOKS[phase]
  return { title: cleanTitle(`${icon} ${name.trim() === '' ? phase : name}`), background }
}
