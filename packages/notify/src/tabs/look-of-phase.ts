import type { Phase } from '@steward/contract'
import { cleanTitle } from './clean-title.ts'
import {
  PHASE_LOOKS,
  type PhaseLook,
  STATE_LOOKS,
  type TabLook,
  type TabState,
} from './phase-looks.ts'

/** The tab of a session in a phase: its icon before the session's name. */
export const lookOfPhase = (phase: Phase, name: string): TabLook =>
  lookOf(PHASE_LOOKS[phase], name.trim() === '' ? phase : name)

/** The tab of a session that thinks, works, asks or failed. */
export const lookOfState = (state: TabState, name: string): TabLook =>
  lookOf(STATE_LOOKS[state], name.trim() === '' ? state : name)

const lookOf = ({ icon, background }: PhaseLook, name: string): TabLook => ({
  title: cleanTitle(`${icon} ${name}`),
  background,
})
