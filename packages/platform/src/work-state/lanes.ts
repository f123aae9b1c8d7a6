import { type SessionMode, TURN_MODES, type TurnMode } from '@steward/contract'
import type { EntryView } from './read-entry.ts'

/** The dashboard tab of a session: the Algorithm tab has a phase strip, the Native tab does not. */
export type Lane = 'algorithm' | 'native'

/** Other programs use more modes: `minimal` counts as native, all others as starting. */
export const modeOf = ({ mode, phase }: Pick<EntryView, 'mode' | 'phase'>): SessionMode => {
  const known = mode ?? phase
  return known === 'native' || known === 'minimal' ? 'native' : 'starting'
}

export const laneOf = (mode: SessionMode): Lane => (mode === 'native' ? 'native' : 'algorithm')

/** The mode of the last turn; derived from the lane if not recorded. */
export const turnModeOf = (view: EntryView): TurnMode =>
  TURN_MODES.find((mode) => mode === view.currentMode) ??
  (view.mode === 'minimal' ? 'minimal' : laneOf(modeOf(view)))
