import { LIMITS, type SessionMode } from '@steward/contract'
import { modeOf } from './lanes.ts'
import { believe, believedFrom } from './moments.ts'
import type { EntryView } from './read-entry.ts'

/** How long a session may be inactive before it counts as stale. */
export interface StaleThresholds {
  nativeMs: number
  startingMs: number
}

export const DEFAULT_THRESHOLDS: StaleThresholds = {
  nativeMs: LIMITS.staleNativeMs,
  startingMs: LIMITS.staleStartingMs,
}

/** The later of the two signals, limited by the clock. Spec 2, States and transitions. */
export const activityOf = (view: EntryView, nowMs: number): number | undefined => {
  const signals = [believe(view.updatedMs, nowMs), believe(view.toolActivityMs, nowMs)]
  const known = signals.filter((atMs) => atMs !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/** A session without any signal is stale. */
export const isStale = (view: EntryView, nowMs: number, thresholds: StaleThresholds): boolean => {
  const activeMs = activityOf(view, nowMs)
  return activeMs === undefined || nowMs - activeMs >= thresholdOf(modeOf(view), thresholds)
}

export const thresholdOf = (mode: SessionMode, thresholds: StaleThresholds): number =>
  mode === 'native' ? thresholds.nativeMs : thresholds.startingMs

/** The times at which `activityOf` of an unchanged session changes. */
export const activityTurns = (view: EntryView): number[] =>
  [view.updatedMs, view.toolActivityMs].flatMap((atMs) =>
    atMs === undefined ? [] : [believedFrom(atMs), atMs],
  )
