import {
  type FailureGroup,
  isErrorCode,
  type RecurringFailure,
  StewardError,
} from '@steward/contract'
import { patternOfError, type RecentPattern } from '@steward/platform'

export interface RecurringPorts {
  now: () => number
  failuresSince: (sinceMs: number) => Promise<readonly FailureGroup[]>
  patternsSince: (firstDay: string) => readonly RecentPattern[]
  mask: (text: string) => string
}

const DAY_MS = 86_400_000
const MOST_FAILURES = 100
const LONGEST_CAUSE = 500

const REMEDIES = {
  action_failed:
    'Correct the action or its input, then rerun from that step: the results of earlier steps are reused.',
  notification: 'Test the channel under Settings, Voice and notifications.',
  tool: 'Open the last session. If the assistant repeats the mistake, describe the correct way in the instructions of the project (CLAUDE.md or AGENTS.md).',
} as const

/** What failed at least twice on the last days, by cause, the most frequent first. */
export const listRecurring = async (
  days: number,
  { now, failuresSince, patternsSince, mask }: RecurringPorts,
): Promise<{ from: string; failures: RecurringFailure[] }> => {
  const sinceMs = (Math.floor(now() / DAY_MS) - days + 1) * DAY_MS
  const from = dayOf(sinceMs)
  const dates = Array.from({ length: days }, (_, index) => dayOf(sinceMs + index * DAY_MS))
  const stored = joinSame(await failuresSince(sinceMs)).map((group) => toRecurring(group, dates))
  const failures = [...stored, ...patternsSince(from).map((tool) => ofTool(tool, dates))]
    .filter(({ count }) => count > 1)
    .toSorted((a, b) => b.count - a.count || b.lastAt.localeCompare(a.lastAt))
    .slice(0, MOST_FAILURES)
    .map((failure) => ({ ...failure, cause: mask(failure.cause).slice(0, LONGEST_CAUSE) }))
  return { from, failures }
}

/** Texts without an error code are the same cause if they differ in numbers, paths and ids only. */
const joinSame = (groups: readonly FailureGroup[]): FailureGroup[] => {
  const found = new Map<string, FailureGroup>()
  for (const group of groups) {
    const { kind, name, code, within } = group
    const cause = code ?? patternOfError(group.cause)
    const key = JSON.stringify([kind, name, cause, kind === 'delivery' ? within : []])
    const known = found.get(key)
    const timesMs = [...(known?.timesMs ?? []), ...group.timesMs]
    const isNewer = known === undefined || lastOf(group) > lastOf(known)
    found.set(key, { ...(isNewer ? group : known), timesMs })
  }
  return [...found.values()]
}

const toRecurring = (group: FailureGroup, dates: readonly string[]): RecurringFailure => {
  const { kind, name, within, code, cause, timesMs, runId } = group
  const perDay = new Map<string, number>()
  for (const at of timesMs) perDay.set(dayOf(at), (perDay.get(dayOf(at)) ?? 0) + 1)
  return {
    kind,
    name,
    within: [...within],
    code,
    cause,
    remedy: remedyOf(group),
    count: timesMs.length,
    firstAt: new Date(Math.min(...timesMs)).toISOString(),
    lastAt: new Date(lastOf(group)).toISOString(),
    days: dates.map((date) => perDay.get(date) ?? 0),
    runId,
    sessionId: null,
  }
}

const ofTool = (
  { tool, pattern, count, firstAt, lastAt, days, lastSession }: RecentPattern,
  dates: readonly string[],
): RecurringFailure => ({
  kind: 'tool',
  name: tool,
  within: [],
  code: null,
  cause: pattern,
  remedy: REMEDIES.tool,
  count,
  firstAt,
  lastAt,
  days: dates.map((date) => days.get(date) ?? 0),
  runId: null,
  sessionId: lastSession === '' ? null : lastSession,
})

const remedyOf = ({ kind, code, cause }: FailureGroup): string | null => {
  if (kind === 'notification') return REMEDIES.notification
  // The table addresses a person at a terminal.
  if (code === 'action_failed') return REMEDIES.action_failed
  if (code === null || !isErrorCode(code)) return null
  return StewardError.restore(code, cause).remedy
}

const lastOf = ({ timesMs }: FailureGroup): number => Math.max(...timesMs)
const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)
