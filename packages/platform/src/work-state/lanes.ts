import { type SessionMode, TURN_MODES, type TurnMode } from '@steward/contract'
import type { EntryView } from './read-entry.ts'

/** Where a dashboard shows a session: the Algorithm tab has a phase strip, the Native tab none. */
export type Lane = 'algorithm' | 'native'

/** Other programs know more modes: `minimal` is a native one, every other name a starting one. */
export const modeOf = ({ mode, phase }: Pick<EntryView, 'mode' | 'phase'>): SessionMode => {
  const known = mode ?? phase
  return known === 'native' || known === 'minimal' ? 'native' : 'starting'
}

export const laneOf = (mode: SessionMode): Lane => (mode === 'native' ? 'native' : 'algorithm')

/** What the last turn was; told by the lane where no program recorded it. */
export const turnModeOf = (view: EntryView): TurnMode =>
  TURN_MODES.find((mode) => mode === view.currentMode) ??
  (view.mode === 'minimal' ? 'minimal' : laneOf(modeOf(view)))
