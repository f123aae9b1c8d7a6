import type { SessionChanges, SessionCursor } from '@steward/assistants'
import type { EventSource, SessionStatus } from '@steward/contract'
import {
  type Database,
  type LogFileId,
  type LogPlace,
  openDatabase,
  type Row,
  removeDatabase,
} from '@steward/platform'
import { addRecorded, readCursor } from './add-recorded.ts'
import { applyRows, type FoundRow } from './apply-rows.ts'
import { SCHEMA } from './index-schema.ts'
import { LAST_CHARACTER, listPlaces, type PlaceFilter } from './list-places.ts'
import { countAll, type FoundRows, listSessions, type SessionCounts } from './list-sessions.ts'
import type { SessionFilter } from './session-filter.ts'
import { countHours, type IndexedActivity, readActivity, readFacets } from './sum-index.ts'

/** A row of the index; times in milliseconds since the epoch. */
export interface IndexedSession {
  id: string
  name: string
  prompt: string | null
  host: string
  project: string | null
  status: Exclude<SessionStatus, 'inactive'>
  startedMs: number
  lastMs: number
  endedMs: number | null
  startSource: string | null
  model: string | null
  prompts: number
  toolCalls: number
  failures: number
  subagents: number
  lastMessage: string | null
}

export interface IndexedPlace extends LogPlace {
  source: EventSource
  atMs: number
  /** Orders rows of the same millisecond. */
  row: number
}

interface FoundSessions extends Omit<FoundRows, 'rows'>, SessionCounts {
  sessions: IndexedSession[]
}

export interface SessionIndex {
  /** How far a file of a log was read. */
  readTo: (source: EventSource, file: LogFileId) => number
  isEmpty: () => boolean
  /**
   * Stores a chunk of rows and how far the file was read, in one transaction. A chunk that another
   * process has stored meanwhile is left out.
   */
  add: (
    source: EventSource,
    file: LogFileId,
    chunk: { from: number; to: number },
    rows: readonly FoundRow[],
  ) => void
  /** How far the assistants' own records of sessions were read. */
  recordedTo: () => SessionCursor
  /** Stores sessions of the assistants' own records and how far they were read. */
  addRecorded: (changes: Omit<SessionChanges, 'isAll'>) => void
  list: (filter: SessionFilter) => FoundSessions
  /** The sessions of a list without filters. */
  count: () => number
  /** The assistants, and the folders that were last worked in. */
  facets: () => { hosts: string[]; projects: string[] }
  /** Sessions whose id is this or begins with it; `last` is the one last active. */
  find: (id: string) => IndexedSession[]
  /** Where the rows of a session are, newest first. */
  places: (id: string, limit: number, before?: { atMs: number; row: number }) => IndexedPlace[]
  /** Where rows of all sessions are, newest first. */
  allPlaces: (filter: PlaceFilter) => IndexedPlace[]
  countPlaces: () => number
  /** Rows since then by hour, and how many sessions they belong to. */
  activity: (sinceMs: number) => IndexedActivity
  close: () => Promise<void>
}

export const openSessionIndex = (path: string): SessionIndex => {
  const database = openOrReplace(path)

  const fileNumber = (source: EventSource, { inode, fingerprint }: LogFileId): number =>
    Number(
      database
        .statement(
          `INSERT INTO files (source, inode, fingerprint, read_to) VALUES (?, ?, ?, 0)
           ON CONFLICT DO UPDATE SET read_to = read_to RETURNING number`,
        )
        .get(source, inode, fingerprint)?.number,
    )

  const readTo = (source: EventSource, { inode, fingerprint }: LogFileId): number =>
    Number(
      database
        .statement('SELECT read_to FROM files WHERE source = ? AND inode = ? AND fingerprint = ?')
        .get(source, inode, fingerprint)?.read_to ?? 0,
    )

  return {
    readTo,
    isEmpty: () => database.statement('SELECT 1 FROM files LIMIT 1').get() === undefined,
    add: (source, file, { from, to }, rows) =>
      database.writeNow(({ statement }) => {
        if (readTo(source, file) !== from) return
        const number = fileNumber(source, file)
        statement('UPDATE files SET read_to = ? WHERE number = ?').run(to, number)
        const numbers = applyRows(database, rows)
        const place = statement('INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?, ?)')
        for (const { event, atMs, start, end } of rows) {
          const session = numbers.get(event.session_id) ?? 0
          // A position in the logs: the file and the offset in it.
          place.run(session, atMs, number * OFFSETS + start, number, start, end)
        }
        statement('UPDATE files SET places = places + ? WHERE number = ?').run(rows.length, number)
        countHours(database, source, rows)
      }),
    recordedTo: () => readCursor(database),
    addRecorded: (changes) => database.writeNow(() => addRecorded(database, changes)),
    list: (filter) => {
      const { rows, ...found } = listSessions(database, filter)
      return { ...found, sessions: rows.map(toSession) }
    },
    count: () => countAll(database),
    facets: () => readFacets(database),
    find: (id) => {
      const sql =
        id === 'last'
          ? 'SELECT * FROM sessions WHERE ? = ? ORDER BY last_ms DESC LIMIT 1'
          : 'SELECT * FROM sessions WHERE id >= ? AND id < ? ORDER BY id LIMIT 10'
      const found = database
        .statement(sql)
        .all(...(id === 'last' ? [id, id] : [id, `${id}${LAST_CHARACTER}`]))
        .map(toSession)
      const exact = found.find((session) => session.id === id)
      return exact === undefined ? found : [exact]
    },
    places: (id, limit, before = { atMs: Number.MAX_SAFE_INTEGER, row: 0 }) =>
      database
        .statement(
          `SELECT at_ms, row, first, after, source, inode, fingerprint
           FROM places JOIN files ON files.number = places.file
           WHERE session = (SELECT number FROM sessions WHERE id = ?)
             AND (at_ms, row) < (?, ?)
           ORDER BY at_ms DESC, row DESC LIMIT ?`,
        )
        .all(id, before.atMs, before.row, limit)
        .map(toPlace),
    allPlaces: (filter) => listPlaces(database, filter).map(toPlace),
    countPlaces: () =>
      Number(database.statement('SELECT coalesce(sum(places), 0) AS n FROM files').get()?.n),
    activity: (sinceMs) => readActivity(database, sinceMs),
    close: () => database.close(),
  }
}

/** More than any log has bytes. */
const OFFSETS = 2 ** 34

const openOrReplace = (path: string): Database => {
  try {
    return openDatabase(path, { rebuilt: SCHEMA })
  } catch {
    removeDatabase(path)
    return openDatabase(path, { rebuilt: SCHEMA })
  }
}

const STATUSES = ['working', 'waiting', 'idle', 'failed', 'ended'] as const

const toSession = (row: Row): IndexedSession => ({
  id: String(row.id),
  name: String(row.name),
  prompt: nullable(row.prompt),
  host: String(row.host),
  project: nullable(row.project),
  status: STATUSES.find((status) => status === row.status) ?? 'idle',
  startedMs: Number(row.started_ms),
  lastMs: Number(row.last_ms),
  endedMs: row.ended_ms === null ? null : Number(row.ended_ms),
  startSource: nullable(row.start_source),
  model: nullable(row.model),
  prompts: Number(row.prompts),
  toolCalls: Number(row.tool_calls),
  failures: Number(row.failures),
  subagents: Number(row.subagents),
  lastMessage: nullable(row.last_message),
})

const SOURCES = ['tool-activity', 'tool-failure', 'voice', 'subagent'] as const

const toPlace = (row: Row): IndexedPlace => ({
  source: SOURCES.find((source) => source === row.source) ?? 'tool-activity',
  inode: String(row.inode),
  fingerprint: String(row.fingerprint),
  start: Number(row.first),
  end: Number(row.after),
  atMs: Number(row.at_ms),
  row: Number(row.row),
})

const nullable = (value: unknown): string | null => (typeof value === 'string' ? value : null)
