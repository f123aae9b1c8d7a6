import { type FailurePattern, failurePattern, type LearningSignal } from '@steward/contract'
import { z } from 'zod'
import { signalOf } from './capture-signals.ts'
import { patternOfError } from './pattern-of-error.ts'

/** A pattern with its counts in recent sessions. */
export const failureCount = failurePattern.extend({
  recentSessions: z.array(z.tuple([z.string(), z.int().positive()])),
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
    .map(({ recentSessions: _, ...pattern }) => pattern)
    .toSorted((a, b) => b.count - a.count || b.lastAt.localeCompare(a.lastAt))

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
  }
}

const leastOf = (counts: ReadonlyMap<string, FailureCount>, spared: string): string => {
  const [least] = [...counts]
    .filter(([key]) => key !== spared)
    .toSorted(([, a], [, b]) => a.count - b.count || a.lastAt.localeCompare(b.lastAt))
  return least?.[0] ?? spared
}
