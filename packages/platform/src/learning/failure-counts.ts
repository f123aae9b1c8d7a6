import { type FailurePattern, failurePattern, type LearningSignal } from '@steward/contract'
import { z } from 'zod'
import { signalOf } from './capture-signals.ts'

/** A pattern with its counts in recent sessions and on recent days. */
export const failureCount = failurePattern.extend({
  recentSessions: z.array(z.tuple([z.string(), z.int().positive()])),
  /** By UTC day; missing in files of earlier versions. */
  days: z.record(z.string(), z.int().positive()).optional(),
})
export type FailureCount = z.infer<typeof failureCount>

/** One tool failure from its row. */
export interface ToolFailure {
  tool: string
  error: string
  session_id: string
  timestamp: string
  isInterrupt: boolean
}

/** Above this, the least frequent and oldest patterns are evicted. */
export const MOST_PATTERNS = 200
/** A session is counted once among these; one that returns much later counts again. */
const RECENT_SESSIONS = 16
/** Days that are counted separately. */
const RECENT_DAYS = 31
const REPEATED = 3
const LONGEST_EXAMPLE = 300

export interface Counted {
  counts: ReadonlyMap<string, FailureCount>
  signals: readonly LearningSignal[]
}

/** Adds failures to existing counts. An interruption is not a failure of the tool. */
export const countFailures = (
  before: ReadonlyMap<string, FailureCount>,
  failures: readonly ToolFailure[],
): Counted => {
  const counts = new Map(before)
  const signals: LearningSignal[] = []
  for (const failure of failures) {
    if (failure.isInterrupt) {
      signals.push(signalOf('interruption', `${failure.tool} was stopped`, failure))
      continue
    }
    const pattern = patternOfError(failure.error)
    const key = `${failure.tool}\n${pattern}`
    const next = addTo(counts.get(key), failure, pattern)
    counts.set(key, next)
    if (counts.size > MOST_PATTERNS) counts.delete(leastOf(counts, key))
    const [, times = 0] = next.recentSessions.at(-1) ?? []
    if (times === REPEATED) {
      const summary = `${failure.tool} failed ${REPEATED} times in the same way: ${pattern}`
      signals.push(signalOf('repeated-failure', summary, failure))
    }
  }
  return { counts, signals }
}

/** For dashboards, most frequent first. */
export const listFailurePatterns = (counts: ReadonlyMap<string, FailureCount>): FailurePattern[] =>
  [...counts.values()]
    .map(({ recentSessions: _, days: _days, ...pattern }) => pattern)
    .toSorted((a, b) => b.count - a.count || b.lastAt.localeCompare(a.lastAt))

/** A pattern in a period. */
export interface RecentPattern extends FailurePattern {
  /** Failures by UTC day in the period. */
  days: ReadonlyMap<string, number>
  lastSession: string
}

/** The patterns that failed on or after a UTC day; `count` is that of the period. */
export const listPatternsSince = (
  counts: ReadonlyMap<string, FailureCount>,
  firstDay: string,
): RecentPattern[] =>
  [...counts.values()].flatMap(({ recentSessions, days = {}, ...pattern }) => {
    const recent = Object.entries(days).filter(([day]) => day >= firstDay)
    if (recent.length === 0) return []
    const count = recent.reduce((sum, [, times]) => sum + times, 0)
    const lastSession = recentSessions.at(-1)?.[0] ?? ''
    return [{ ...pattern, count, days: new Map(recent), lastSession }]
  })

const addTo = (
  known: FailureCount | undefined,
  { tool, error, session_id, timestamp }: ToolFailure,
  pattern: string,
): FailureCount => {
  const recent = known?.recentSessions ?? []
  const own = recent.find(([session]) => session === session_id)
  const others = recent.filter((each) => each !== own)
  const isNew = own === undefined && session_id !== ''
  const entry: [string, number] = [session_id, (own?.[1] ?? 0) + 1]
  return {
    tool,
    pattern,
    count: (known?.count ?? 0) + 1,
    sessions: (known?.sessions ?? 0) + (isNew ? 1 : 0),
    firstAt: known?.firstAt ?? timestamp,
    lastAt: timestamp,
    example: error.slice(0, LONGEST_EXAMPLE),
    recentSessions: [...others, entry].slice(-RECENT_SESSIONS),
    days: addDay(known?.days ?? {}, timestamp.slice(0, 10)),
  }
}

const addDay = (days: Readonly<Record<string, number>>, day: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries({ ...days, [day]: (days[day] ?? 0) + 1 })
      .toSorted(([one], [other]) => one.localeCompare(other))
      .slice(-RECENT_DAYS),
  )

const leastOf = (counts: ReadonlyMap<string, FailureCount>, spared: string): string => {
  const [least] = [...counts]
    .filter(([key]) => key !== spared)
    .toSorted(([, a], [, b]) => a.count - b.count || a.lastAt.localeCompare(b.lastAt))
  return least?.[0] ?? spared
}

const LONGEST_ERROR = 1000
const LONGEST_PATTERN = 200

/**
 * Each removes one kind of variable part; the order matters, because a path may contain numbers.
 */
const PARTS: ReadonlyArray<[RegExp, string]> = [
  // ANSI escape sequences.
  [/\p{Cc}\[[\d;?]*[ -/]*[@-~]/gu, ''],
  [/[a-z][a-z\d+.-]{0,20}:\/\/[^\s'"`<>)\]]+/gi, '<url>'],
  [/(?<!\w)(["'`])(?:(?!\1)[^\n]){1,300}\1(?!\w)/g, '<text>'],
  [/\b[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\b/gi, '<id>'],
  [/(?:~|\.{1,2}|\b[A-Za-z]:)?(?:[\\/][\w.@%+~-]+)+[\\/]?(?::\d+)*/g, '<path>'],
  [/\b[\w-]+\.[A-Za-z]{1,5}:\d+(?::\d+)?/g, '<path>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, '<time>'],
  [
    /\b(?:0x[\da-f]+|(?=[\da-f]*\d)(?=[\da-f]*[a-f])[\da-f]{7,}|[A-Za-z]+_[\dA-Za-z]{12,})\b/gi,
    '<id>',
  ],
  [/\d+(?:[.,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
]

/** An error without its variable parts, so that the same failure always looks the same. */
export const patternOfError = (error: string): string => {
  const start = error.slice(0, LONGEST_ERROR)
  const pattern = PARTS.reduce((text, [part, name]) => text.replace(part, name), start).trim()
  if (pattern === '') return '(no message)'
  return pattern.length <= LONGEST_PATTERN ? pattern : `${pattern.slice(0, LONGEST_PATTERN - 1)}…`
}
