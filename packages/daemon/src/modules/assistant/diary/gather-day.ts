import { join } from 'node:path'
import type { RatingRow, RunRecord, WorkState } from '@steward/contract'
import {
  eventLogPath,
  type Home,
  instantOf,
  type Redactor,
  readRatings,
  readSignals,
  readTail,
  readWorkState,
  sessionsOf,
  workArchivePath,
} from '@steward/platform'

/** What is known of one local day. */
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
  /** Logs that hold more than was read: the counts are the least there was. */
  isCut: boolean
}

const READ_ROWS = 20_000

interface Ports {
  home: Home
  redactor: () => Redactor
  runs: () => readonly RunRecord[]
}

/** Gathers a day from what was written down on it; nothing is guessed. */
export const gatherDay = async (
  date: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { home, redactor, runs }: Ports,
): Promise<Day> => {
  const isOfDay = (timestamp: unknown): boolean => {
    const at = typeof timestamp === 'string' ? instantOf(timestamp) : undefined
    return at !== undefined && at >= fromMs && at < toMs
  }
  const activity = await readTail(eventLogPath(home, 'tool-activity'), { rows: READ_ROWS })
  const failures = await readTail(eventLogPath(home, 'tool-failure'), { rows: READ_ROWS })
  const events = await readTail(join(home.stateDir, 'events.jsonl'), { rows: READ_ROWS })
  const ratings = await readRatings(home, READ_ROWS, redactor())
  const signals = await readSignals(home, READ_ROWS, redactor())
  const ofDay = ({ rows }: typeof activity) =>
    rows.map(({ row }) => row).filter(({ timestamp }) => isOfDay(timestamp))
  const acts = ofDay(activity)
  const isPrompt = (row: Record<string, unknown>): boolean =>
    row.type === 'user_prompt' || row.event_type === 'user_prompt'
  const cut = [activity, failures].some(
    ({ rows }) => rows.length === READ_ROWS && isOfDay(rows[0]?.row.timestamp),
  )
  return {
    date,
    prompts: acts.filter(isPrompt).length,
    toolCalls: acts.filter((row) => !isPrompt(row) && typeof row.tool_name === 'string').length,
    sessions: await sessionsOn(home, fromMs, toMs, redactor()),
    failures: countBy(ofDay(failures).map((row) => String(row.tool_name ?? 'a tool'))),
    runs: runs()
      .filter(({ startedAt }) => isOfDay(startedAt))
      .map(({ name, status }) => ({ name, status })),
    ratings: ratings.rows.filter(({ timestamp }) => isOfDay(timestamp)),
    signals: countBy(
      signals.rows.filter(({ timestamp }) => isOfDay(timestamp)).map(({ kind }) => kind),
    ),
    notifications: ofDay(events).filter(({ type }) => type === 'notification.requested').length,
    isCut: cut,
  }
}

const sessionsOn = async (
  home: Home,
  fromMs: number,
  toMs: number,
  redactor: Redactor,
): Promise<string[]> => {
  const state = await readWorkState(home)
  const names = [
    ...worked(await archivedSessions(home), fromMs, toMs),
    ...(state.ok ? worked(state.value, fromMs, toMs) : []),
  ]
  return [...new Set(names)].map((name) => redactor.redactText(name).value)
}

/** What ended leaves the work state after a day, and a page may be written later than that. */
const archivedSessions = async (home: Home): Promise<WorkState> => {
  const { rows } = await readTail(workArchivePath(home), { rows: READ_ROWS })
  return { sessions: Object.fromEntries(rows.map(({ row }) => [String(row.slug), row.entry])) }
}

const worked = (state: WorkState, fromMs: number, toMs: number): string[] =>
  sessionsOf(state).flatMap(({ slug, view }) => {
    const times = [view.startedMs, view.updatedMs, view.toolActivityMs]
    const isOn = times.some((at) => at !== undefined && at >= fromMs && at < toMs)
    return isOn ? [view.sessionName ?? view.task ?? slug] : []
  })

const countBy = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map([...counts].toSorted(([, a], [, b]) => b - a))
}

/** Whether anything at all was written down on it. */
export const isEmptyDay = (day: Day): boolean =>
  day.prompts + day.toolCalls + day.sessions.length + day.runs.length === 0 &&
  day.ratings.length + day.failures.size + day.notifications === 0
