import type { FailurePattern, LearningSignal, StewardError } from '@steward/contract'
import { z } from 'zod'
import { eventLogPath } from '../events/event-log-path.ts'
import { normaliseEvent } from '../events/normalise-event.ts'
import { readStateFile, writeStateFile } from '../files/state-file.ts'
import type { Home } from '../home/home.ts'
import { createLogFollower, type LogFollower } from '../logs/follow-log.ts'
import type { LogRow } from '../logs/log-row.ts'
import { readTail } from '../logs/read-tail.ts'
import type { Redactor } from '../redaction/redactor.ts'
import {
  countFailures,
  type FailureCount,
  failureCount,
  listFailurePatterns,
  listPatternsSince,
  MOST_PATTERNS,
  type RecentPattern,
  type ToolFailure,
} from './failure-counts.ts'
import { learningFilesOf } from './learning-files.ts'

export interface FailureTrackerPorts {
  home: Pick<Home, 'root' | 'learning' | 'stateDir'>
  redactor: () => Pick<Redactor, 'redactText'>
  now: () => number
}

/** Counts rows of the failure log as it grows, each once, also across restarts. */
export interface FailureTracker {
  /** Resumes after the last run; reports if the saved state was lost. */
  open: () => Promise<{ startedOver?: StewardError }>
  /** Counts new rows and returns their signals. Throws `storage_failed`. */
  catchUp: () => Promise<LearningSignal[]>
  patterns: () => FailurePattern[]
  /** Those that failed on or after a UTC day (`2026-03-01`), at most 31 days ago. */
  patternsSince: (firstDay: string) => RecentPattern[]
  /** Saves the counts if they changed. */
  save: () => Promise<void>
  close: () => Promise<void>
}

/** Rows read from an uncounted log, independent of its size. */
const FIRST_ROWS = 2000

const savedCounts = z.object({
  position: z.string(),
  patterns: z.array(failureCount).max(MOST_PATTERNS),
})

export const createFailureTracker = ({
  home,
  redactor,
  now,
}: FailureTrackerPorts): FailureTracker => {
  const path = eventLogPath(home, 'tool-failure')
  const file = learningFilesOf(home).failurePatterns
  let counts: ReadonlyMap<string, FailureCount> = new Map()
  let follower: LogFollower | undefined
  let position = ''
  let savedPosition = ''

  const count = (rows: readonly LogRow[]): LearningSignal[] => {
    const failures = rows.map(({ row }) => readFailure(row, redactor(), now()))
    const counted = countFailures(counts, failures)
    counts = counted.counts
    return [...counted.signals]
  }

  return {
    open: async () => {
      const saved = await readStateFile(file, savedCounts, { position: '', patterns: [] })
      // Earlier versions counted no days; they are counted from the log again.
      const isWhole = saved.ok && saved.value.patterns.every(({ days }) => days !== undefined)
      if (saved.ok && isWhole && saved.value.position !== '') {
        counts = new Map(
          saved.value.patterns.map((each) => [`${each.tool}\n${each.pattern}`, each]),
        )
        position = saved.value.position
      } else {
        const tail = await readTail(path, { rows: FIRST_ROWS })
        // Earlier failures are counted but produce no signals.
        count(tail.rows)
        position = tail.position
      }
      savedPosition = saved.ok ? saved.value.position : ''
      follower = createLogFollower({ path, from: position })
      return saved.ok ? {} : { startedOver: saved.error }
    },
    catchUp: async () => {
      const signals: LearningSignal[] = []
      for (let more = follower !== undefined; more; ) {
        const read = await follower?.read()
        if (read === undefined) break
        signals.push(...count(read.rows))
        position = read.position
        more = read.more
      }
      return signals
    },
    patterns: () => listFailurePatterns(counts),
    patternsSince: (firstDay) => listPatternsSince(counts, firstDay),
    save: async () => {
      if (position === savedPosition) return
      const saved = { position, patterns: [...counts.values()] }
      await writeStateFile(file, saved)
      savedPosition = saved.position
    },
    close: async () => {
      await follower?.close()
      follower = undefined
    },
  }
}

const readFailure = (
  row: LogRow['row'],
  redactor: Pick<Redactor, 'redactText'>,
  nowMs: number,
): ToolFailure => {
  const event = normaliseEvent('tool-failure', row)
  const error = textOf(event.error) || textOf(event.message)
  return {
    tool: textOf(event.tool_name) || 'unknown',
    error: redactor.redactText(error).value,
    session_id: event.session_id,
    timestamp: event.timestamp || new Date(nowMs).toISOString(),
    isInterrupt: event.is_interrupt === true || /interrupted by (?:the )?user/i.test(error),
  }
}

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
