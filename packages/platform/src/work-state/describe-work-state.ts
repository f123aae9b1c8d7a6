import type { AlgorithmSession, AlgorithmView, WorkState } from '@steward/contract'
import { activityTurns, thresholdOf } from './activity.ts'
import { completedAtOf, describeSession } from './describe-session.ts'
import { modeOf } from './lanes.ts'
import { readEntry } from './read-entry.ts'
import { isComplete, PULSE_STRIP, rawEntryOf, sessionsOf } from './sessions.ts'
import type { ViewOptions } from './view-options.ts'

/** How long finished sessions are still shown. */
const SHOWN_MS = 24 * 3_600_000

/**
 * The view of the work state for dashboards. All readers use this mapping, so that two daemons on
 * one file show the same.
 */
export const describeWorkState = (state: WorkState, options: ViewOptions): AlgorithmView => {
  const shown = sessionsOf(state)
    .map((session) => describeSession(session, options))
    .filter((session) => isShown(session, options.nowMs))
  return {
    algorithms: groupSessions(shown),
    active: shown.some(({ active }) => active),
    pulseStrip: readEntry(rawEntryOf(state, PULSE_STRIP)).ratings,
  }
}

/** When the view of an unchanged state changes: something becomes stale or is no longer shown. */
export const nextViewChange = (
  state: WorkState,
  { nowMs, thresholds }: ViewOptions,
): number | undefined => {
  const turns = sessionsOf(state).flatMap((session) => {
    const { view } = session
    const signals = [view.updatedMs, view.toolActivityMs].filter((atMs) => atMs !== undefined)
    if (isComplete(session)) return [(completedAtOf(session) ?? 0) + SHOWN_MS]
    const staleMs = thresholdOf(modeOf(view), thresholds)
    return [...activityTurns(view), ...signals.flatMap((atMs) => [atMs + staleMs, atMs + SHOWN_MS])]
  })
  const ahead = turns.filter((atMs) => atMs > nowMs)
  return ahead.length === 0 ? undefined : Math.min(...ahead)
}

const isShown = (session: AlgorithmSession, nowMs: number): boolean => {
  if (session.active) return true
  if (session.completedAt !== undefined) return nowMs - session.completedAt < SHOWN_MS
  const { lastActivityAt, criteria } = session
  return criteria.length > 0 && lastActivityAt !== undefined && nowMs - lastActivityAt < SHOWN_MS
}

/**
 * Groups rows of one host session, those with criteria first. Active host sessions come first, then
 * by their last activity.
 */
const groupSessions = (sessions: readonly AlgorithmSession[]): AlgorithmSession[] => {
  const groups = Map.groupBy(sessions, ({ sessionId, sessionUUID }) =>
    sessionUUID === undefined ? `slug ${sessionId}` : `uuid ${sessionUUID}`,
  )
  return [...groups.values()]
    .map((group) => group.toSorted(byCriteria))
    .toSorted(
      (a, b) =>
        Number(b.some(({ active }) => active)) - Number(a.some(({ active }) => active)) ||
        lastActivityOf(b) - lastActivityOf(a) ||
        compareText(a[0]?.sessionId, b[0]?.sessionId),
    )
    .flat()
}

const byCriteria = (a: AlgorithmSession, b: AlgorithmSession): number =>
  Number(b.criteria.length > 0) - Number(a.criteria.length > 0) ||
  Number(b.active) - Number(a.active) ||
  (b.lastActivityAt ?? 0) - (a.lastActivityAt ?? 0) ||
  compareText(a.sessionId, b.sessionId)

const lastActivityOf = (group: readonly AlgorithmSession[]): number =>
  Math.max(...group.map(({ lastActivityAt }) => lastActivityAt ?? 0))

/** By code unit, so that the order does not depend on the locale. */
const compareText = (a = '', b = ''): number => (a < b ? -1 : Number(a > b))
