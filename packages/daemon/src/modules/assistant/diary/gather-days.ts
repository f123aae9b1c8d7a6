import { join } from 'node:path'
import type { JsonObject, RatingRow, RunRecord, WorkState } from '@steward/contract'
import {
  eventLogPath,
  type Home,
  instantOf,
  isNewer,
  type Redactor,
  readRatings,
  readRowsBackwards,
  readSignals,
  readTail,
  readWorkState,
  sessionsOf,
  workArchivePath,
} from '@steward/platform'

/** The recorded facts of one local day. */
export interface Day {
  date: string
  prompts: number
  sessions: string[]
  toolCalls: number
  failures: Map<string, number>
  runs: { name: string; status: string }[]
  ratings: RatingRow[]
  signals: Map<string, number>
  notifications: number
  /** A log had more rows than were read, so the counts are lower bounds. */
  isCut: boolean
}

/** Per log and day; with more rows the counts are lower bounds. */
const ROWS_PER_DAY = 20_000
const READ_ROWS = 20_000
/** Several writers append to a log, so a row may follow a slightly younger one. */
const DISORDER_MS = 3_600_000

interface Ports {
  home: Home
  redactor: () => Redactor
  runs: () => readonly RunRecord[]
}

/** A local day. */
export interface DayBounds {
  date: string
  fromMs: number
  toMs: number
}

/**
 * Collects days from recorded rows only, without guessing. Each log is read once for all days,
 * backward from its end to the first day.
 */
export const gatherDays = async (
  wanted: readonly DayBounds[],
  { home, redactor, runs }: Ports,
): Promise<Day[]> => {
  const days = wanted.map((bounds) => ({ bounds, day: emptyDay(bounds.date) }))
  const dayOf = (timestamp: unknown): Day | undefined => {
    const at = typeof timestamp === 'string' ? instantOf(timestamp) : undefined
    if (at === undefined) return undefined
    return days.find(({ bounds }) => at >= bounds.fromMs && at < bounds.toMs)?.day
  }
  const count = async (path: string, take: (day: Day, row: JsonObject) => void): Promise<void> => {
    const unreadBeforeMs = await readBack(path, wanted, (row) => {
      const day = dayOf(row.timestamp)
      if (day !== undefined) take(day, row)
    })
    for (const { bounds, day } of days) {
      if (unreadBeforeMs !== undefined && bounds.fromMs < unreadBeforeMs) day.isCut = true
    }
  }

  await count(eventLogPath(home, 'tool-activity'), (day, row) => {
    if (row.type === 'user_prompt' || row.event_type === 'user_prompt') day.prompts++
    else if (typeof row.tool_name === 'string') day.toolCalls++
  })
  await count(eventLogPath(home, 'tool-failure'), ({ failures }, row) =>
    addOne(failures, redactor().redactText(String(row.tool_name ?? 'a tool')).value),
  )
  await count(join(home.stateDir, 'events.jsonl'), (day, { type }) => {
    if (type === 'notification.requested') day.notifications++
  })
  for (const rating of (await readRatings(home, READ_ROWS, redactor())).rows) {
    dayOf(rating.timestamp)?.ratings.push(rating)
  }
  for (const { timestamp, kind } of (await readSignals(home, READ_ROWS, redactor())).rows) {
    const day = dayOf(timestamp)
    if (day !== undefined) addOne(day.signals, kind)
  }
  for (const { name, status, startedAt } of runs()) dayOf(startedAt)?.runs.push({ name, status })
  const states = [await archivedSessions(home), await currentSessions(home)]
  return days.map(({ bounds, day }) => ({
    ...day,
    sessions: sessionsOn(states, bounds, redactor()),
    failures: mostFirst(day.failures),
    signals: mostFirst(day.signals),
  }))
}

/** The time from which a log's rows are known, if later than the first of these days. */
const readBack = async (
  path: string,
  days: readonly DayBounds[],
  take: (row: JsonObject) => void,
): Promise<number | undefined> => {
  const firstMs = Math.min(...days.map(({ fromMs }) => fromMs))
  let left = ROWS_PER_DAY * days.length
  let oldestMs: number | undefined
  for await (const row of readRowsBackwards(path)) {
    const at = typeof row.timestamp === 'string' ? instantOf(row.timestamp) : undefined
    if (at !== undefined && at < firstMs - DISORDER_MS) return undefined
    if (left === 0) return oldestMs
    left--
    oldestMs = at ?? oldestMs
    take(row)
  }
  return undefined
}

const emptyDay = (date: string): Day => ({
  date,
  prompts: 0,
  sessions: [],
  toolCalls: 0,
  failures: new Map(),
  runs: [],
  ratings: [],
  signals: new Map(),
  notifications: 0,
  isCut: false,
})

const sessionsOn = (
  states: readonly WorkState[],
  { fromMs, toMs }: DayBounds,
  redactor: Redactor,
): string[] => {
  const names = states.flatMap((state) => worked(state, fromMs, toMs))
  return [...new Set(names)].map((name) => redactor.redactText(name).value)
}

const currentSessions = async (home: Home): Promise<WorkState> => {
  const state = await readWorkState(home)
  return state.ok ? state.value : { sessions: {} }
}

/** Finished sessions leave the work state after a day, and a page may be written later. */
const archivedSessions = async (home: Home): Promise<WorkState> => {
  const { rows } = await readTail(workArchivePath(home), { rows: READ_ROWS })
  const readable = rows.filter(({ row }) => !isNewer(row))
  return { sessions: Object.fromEntries(readable.map(({ row }) => [String(row.slug), row.entry])) }
}

const worked = (state: WorkState, fromMs: number, toMs: number): string[] =>
  sessionsOf(state).flatMap(({ slug, view }) => {
    const times = [view.startedMs, view.updatedMs, view.toolActivityMs]
    const isOn = times.some((at) => at !== undefined && at >= fromMs && at < toMs)
    return isOn ? [view.sessionName ?? view.task ?? slug] : []
  })

const addOne = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const mostFirst = (counts: ReadonlyMap<string, number>): Map<string, number> =>
  new Map([...counts].toSorted(([, a], [, b]) => b - a))

/** Whether nothing was recorded on this day. */
export const isEmptyDay = (day: Day): boolean =>
  day.prompts + day.toolCalls + day.sessions.length + day.runs.length === 0 &&
  day.ratings.length + day.failures.size + day.notifications === 0
