import type { EventSource } from '@steward/contract'
import type { Database } from '@steward/platform'

/** Rows of the logs by hour, and how many sessions they belong to. */
export interface IndexedActivity {
  /** By the number of the hour since the epoch. */
  hours: ReadonlyMap<number, { events: number; failures: number }>
  sessions: number
}

const HOUR_MS = 3_600_000
const MOST_PROJECTS = 30

/** Counts rows by hour when they are stored, because a day may have hundreds of thousands. */
export const countHours = (
  database: Database,
  source: EventSource,
  rows: readonly { atMs: number }[],
): void => {
  const counts = new Map<number, number>()
  for (const { atMs } of rows) {
    const hour = Math.floor(atMs / HOUR_MS)
    counts.set(hour, (counts.get(hour) ?? 0) + 1)
  }
  const add = database.statement(
    `INSERT INTO hours (hour, events, failures) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET events = events + excluded.events, failures = failures + excluded.failures`,
  )
  for (const [hour, count] of counts) add.run(hour, count, source === 'tool-failure' ? count : 0)
}

export const readActivity = (database: Database, sinceMs: number): IndexedActivity => {
  const firstHour = Math.floor(sinceMs / HOUR_MS)
  const whole = database
    .statement('SELECT hour, events, failures FROM hours WHERE hour > ?')
    .all(firstHour)
  const begun = database
    .statement(
      `SELECT ? AS hour, count(*) AS events, coalesce(sum(files.source = 'tool-failure'), 0) AS failures
       FROM places INDEXED BY places_by_time JOIN files ON files.number = places.file
       WHERE at_ms >= ? AND at_ms < ?`,
    )
    .all(firstHour, sinceMs, (firstHour + 1) * HOUR_MS)
    .filter(({ events }) => Number(events) > 0)
  const active = database
    .statement('SELECT count(*) AS n FROM sessions WHERE last_ms >= ?')
    .get(sinceMs)
  return {
    hours: new Map(
      [...begun, ...whole].map(({ hour, events, failures }) => [
        Number(hour),
        { events: Number(events), failures: Number(failures) },
      ]),
    ),
    sessions: Number(active?.n),
  }
}

/** The assistants, and the folders that were last worked in. */
export const readFacets = (database: Database): { hosts: string[]; projects: string[] } => {
  const read = (sql: string): string[] =>
    database
      .statement(sql)
      .all()
      .map(({ value }) => String(value))
  return {
    hosts: read('SELECT host AS value FROM hosts ORDER BY host'),
    projects: read(
      `SELECT project AS value FROM projects ORDER BY last_ms DESC LIMIT ${MOST_PROJECTS}`,
    ),
  }
}

/** Notes the assistant and the folder of a session that was active. */
export const noteFacets = (
  database: Database,
  { host, project, lastMs }: { host: string; project: string | null; lastMs: number },
): void => {
  if (host !== '') database.statement('INSERT OR IGNORE INTO hosts VALUES (?)').run(host)
  if (project === null) return
  database
    .statement(
      `INSERT INTO projects VALUES (?, ?)
       ON CONFLICT DO UPDATE SET last_ms = excluded.last_ms WHERE excluded.last_ms > last_ms`,
    )
    .run(project, lastMs)
}
