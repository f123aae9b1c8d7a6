import type { Database } from '@steward/platform'
import { conditionsOf, GROUP, type SessionFilter } from './session-filter.ts'

/** Rows of the logs by hour, and how many sessions they belong to. */
export interface IndexedActivity {
  /** By the number of the hour since the epoch. */
  hours: ReadonlyMap<number, { events: number; failures: number }>
  sessions: number
}

const HOUR_MS = 3_600_000
const MOST_PROJECTS = 30

export const readActivity = (database: Database, sinceMs: number): IndexedActivity => {
  const rows = database
    .statement(
      `SELECT at_ms / ${HOUR_MS} AS hour, count(*) AS events,
         sum(files.source = 'tool-failure') AS failures
       FROM places INDEXED BY places_by_time JOIN files ON files.number = places.file
       WHERE at_ms >= ? GROUP BY hour`,
    )
    .all(sinceMs)
  const active = database
    .statement('SELECT count(*) AS n FROM sessions WHERE last_ms >= ?')
    .get(sinceMs)
  return {
    hours: new Map(
      rows.map(({ hour, events, failures }) => [
        Number(hour),
        { events: Number(events), failures: Number(failures) },
      ]),
    ),
    sessions: Number(active?.n),
  }
}

/** How many sessions each group has, whichever group the filter wants. */
export const countGroups = (
  database: Database,
  filter: Omit<SessionFilter, 'limit'>,
): ReadonlyMap<string, number> => {
  const { where, values } = conditionsOf({ ...filter, before: undefined, group: undefined })
  const rows = database
    .statement(
      `SELECT ${GROUP} AS standing, count(*) AS n FROM sessions ${where} GROUP BY standing`,
    )
    .all(filter.quietMs, ...values)
  return new Map(rows.map(({ standing, n }) => [String(standing), Number(n)]))
}

/** The assistants, and the folders that were last worked in. */
export const readFacets = (database: Database): { hosts: string[]; projects: string[] } => {
  const read = (sql: string): string[] =>
    database
      .statement(sql)
      .all()
      .map(({ value }) => String(value))
  return {
    hosts: read("SELECT DISTINCT host AS value FROM sessions WHERE host <> '' ORDER BY host"),
    projects: read(
      `SELECT project AS value FROM sessions WHERE project IS NOT NULL
       GROUP BY project ORDER BY max(last_ms) DESC LIMIT ${MOST_PROJECTS}`,
    ),
  }
}
