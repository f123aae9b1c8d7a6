import type { EventSource, SessionStatus, StewardEvent } from '@steward/contract'
import {
  type Database,
  type LogFileId,
  type LogPlace,
  openDatabase,
  proposeSessionName,
  type Row,
  removeDatabase,
} from '@steward/platform'

/** A row of the index; times in milliseconds since the epoch. */
export interface IndexedSession {
  id: string
  name: string
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

export interface SessionFilter {
  limit: number
  before?: { lastMs: number; id: string }
  host?: string
  project?: string
  q?: string
  statuses?: readonly SessionStatus[]
  /** Only sessions that were active after, or not after, this time. */
  activeAfterMs?: number
  inactiveSinceMs?: number
}

/** The logs hold everything, so a file of another version or a damaged one is made again. */
const SCHEMA = {
  version: 1,
  drop: 'DROP TABLE IF EXISTS places; DROP TABLE IF EXISTS files; DROP TABLE IF EXISTS sessions',
  create: `
    CREATE TABLE sessions (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL DEFAULT '',
      host TEXT NOT NULL DEFAULT '', project TEXT, status TEXT NOT NULL DEFAULT 'working',
      status_ms INTEGER NOT NULL DEFAULT 0, started_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
      ended_ms INTEGER, start_source TEXT, model TEXT, prompts INTEGER NOT NULL DEFAULT 0,
      tool_calls INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
      subagents INTEGER NOT NULL DEFAULT 0, last_message TEXT
    );
    CREATE INDEX sessions_by_activity ON sessions (last_ms DESC, id);
    CREATE TABLE files (
      number INTEGER PRIMARY KEY, source TEXT NOT NULL, inode TEXT NOT NULL,
      fingerprint TEXT NOT NULL, read_to INTEGER NOT NULL, UNIQUE (source, inode, fingerprint)
    );
    CREATE TABLE places (
      session INTEGER NOT NULL, at_ms INTEGER NOT NULL, row INTEGER NOT NULL,
      file INTEGER NOT NULL, first INTEGER NOT NULL, after INTEGER NOT NULL,
      PRIMARY KEY (session, at_ms, row)
    ) WITHOUT ROWID;`,
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
  list: (filter: SessionFilter) => IndexedSession[]
  count: (filter: SessionFilter) => number
  /** Sessions whose id is this or begins with it; `last` is the one last active. */
  find: (id: string) => IndexedSession[]
  /** Where the rows of a session are, newest first. */
  places: (id: string, limit: number, before?: { atMs: number; row: number }) => IndexedPlace[]
  close: () => Promise<void>
}

export interface FoundRow {
  event: StewardEvent
  atMs: number
  start: number
  end: number
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
        const sessions = new Map<string, SessionChange>()
        for (const { event, atMs } of rows) {
          const change = sessions.get(event.session_id) ?? noChange(event.session_id, atMs)
          sessions.set(event.session_id, change)
          collect(change, event, atMs)
        }
        const numbers = new Map<string, number>()
        for (const change of sessions.values()) numbers.set(change.id, apply(database, change))
        const place = statement('INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?, ?)')
        for (const { event, atMs, start, end } of rows) {
          const session = numbers.get(event.session_id) ?? 0
          // A position in the logs: the file and the offset in it.
          place.run(session, atMs, number * OFFSETS + start, number, start, end)
        }
      }),
    list: (filter) => {
      const { where, values } = conditionsOf(filter)
      return database
        .statement(`SELECT * FROM sessions ${where} ORDER BY last_ms DESC, id LIMIT ?`)
        .all(...values, filter.limit)
        .map(toSession)
    },
    count: (filter) => {
      const { where, values } = conditionsOf({ ...filter, before: undefined })
      return Number(
        database.statement(`SELECT count(*) AS n FROM sessions ${where}`).get(...values)?.n,
      )
    },
    find: (id) => {
      const sql =
        id === 'last'
          ? 'SELECT * FROM sessions WHERE ? = ? ORDER BY last_ms DESC LIMIT 1'
          : 'SELECT * FROM sessions WHERE id = ? OR substr(id, 1, length(?)) = ? ORDER BY id LIMIT 10'
      const found = database
        .statement(sql)
        .all(...(id === 'last' ? [id, id] : [id, id, id]))
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

/** What the rows of one chunk change about a session. */
interface SessionChange {
  id: string
  startedMs: number
  lastMs: number
  counts: Record<Counted, number>
  host: string
  project: string | null
  name: string
  model: string | null
  startSource: string | null
  lastMessage: string | null
  status: { status: IndexedSession['status']; atMs: number } | undefined
}

type Counted = 'prompts' | 'tool_calls' | 'failures' | 'subagents'
const COUNTED: Readonly<Record<string, Counted>> = {
  user_prompt: 'prompts',
  tool_use: 'tool_calls',
  tool_failure: 'failures',
  'tool-failure': 'failures',
  subagent_start: 'subagents',
}

const noChange = (id: string, atMs: number): SessionChange => ({
  id,
  startedMs: atMs,
  lastMs: atMs,
  counts: { prompts: 0, tool_calls: 0, failures: 0, subagents: 0 },
  host: '',
  project: null,
  name: '',
  model: null,
  startSource: null,
  lastMessage: null,
  status: undefined,
})

const collect = (change: SessionChange, event: StewardEvent, atMs: number): void => {
  change.startedMs = Math.min(change.startedMs, atMs)
  change.lastMs = Math.max(change.lastMs, atMs)
  const { type } = event
  const counted = Object.hasOwn(COUNTED, type) ? COUNTED[type] : undefined
  if (counted !== undefined) change.counts[counted] += 1
  // Subagents and announcements say nothing about the session itself.
  if (typeof event.agent_id === 'string' || !OWN_SOURCES.has(event.source)) return
  if (change.host === '') change.host = textOf(event.host) ?? ''
  if (change.name === '' && type === 'user_prompt') {
    change.name = proposeSessionName(textOf(event.prompt) ?? '') ?? ''
  }
  change.project ??= textOf(event.cwd) ?? null
  change.model = textOf(event.model) ?? change.model
  change.startSource ??= textOf(event.start_source) ?? null
  change.lastMessage = textOf(event.message_preview) ?? change.lastMessage
  const status = statusAfter(event)
  // Rows do not arrive in the order of their times.
  if (status !== undefined && (change.status === undefined || change.status.atMs <= atMs)) {
    change.status = { status, atMs }
  }
}

/** Returns the session's number. */
const apply = (database: Database, change: SessionChange): number => {
  const { id, startedMs, lastMs, counts, host, project, name, model } = change
  const number = Number(
    database
      .statement(
        `INSERT INTO sessions (id, started_ms, last_ms, host, project, name, model, start_source,
           last_message, prompts, tool_calls, failures, subagents)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET
           started_ms = min(started_ms, excluded.started_ms),
           last_ms = max(last_ms, excluded.last_ms),
           host = CASE host WHEN '' THEN excluded.host ELSE host END,
           project = coalesce(project, excluded.project),
           name = CASE name WHEN '' THEN excluded.name ELSE name END,
           model = coalesce(excluded.model, model),
           start_source = coalesce(start_source, excluded.start_source),
           last_message = coalesce(excluded.last_message, last_message),
           prompts = prompts + excluded.prompts, tool_calls = tool_calls + excluded.tool_calls,
           failures = failures + excluded.failures, subagents = subagents + excluded.subagents
         RETURNING number`,
      )
      .get(
        ...[id, startedMs, lastMs, host, project, name, model, change.startSource],
        ...[change.lastMessage, counts.prompts, counts.tool_calls, counts.failures],
        counts.subagents,
      )?.number,
  )
  if (change.status !== undefined) {
    const { status, atMs } = change.status
    database
      .statement(
        `UPDATE sessions SET status = ?2, status_ms = ?3, ended_ms = ?4
         WHERE number = ?1 AND status_ms <= ?3`,
      )
      .run(number, status, atMs, status === 'ended' ? atMs : null)
  }
  return number
}

const OWN_SOURCES: ReadonlySet<string> = new Set(['tool-activity', 'tool-failure'])

const statusAfter = (event: StewardEvent): IndexedSession['status'] | undefined => {
  switch (event.type) {
    case 'turn_end':
    case 'stop':
      return Number(event.background_tasks) > 0 ? 'working' : 'idle'
    case 'stop_failure':
      return 'failed'
    case 'session_end':
      return 'ended'
    case 'permission_request':
      return 'waiting'
    case 'notification':
      return event.notification_type === 'idle_prompt' ? undefined : 'waiting'
    case 'session_start':
      return 'idle'
    default:
      return 'working'
  }
}

const conditionsOf = (filter: SessionFilter) => {
  const { before, host, project, q, statuses, activeAfterMs, inactiveSinceMs } = filter
  const conditions: string[] = []
  const values: Array<string | number> = []
  const add = (condition: string, ...given: Array<string | number>): void => {
    conditions.push(condition)
    values.push(...given)
  }
  if (before !== undefined) {
    add('(last_ms < ? OR (last_ms = ? AND id > ?))', before.lastMs, before.lastMs, before.id)
  }
  if (host !== undefined) add('host = ?', host)
  if (project !== undefined) {
    const folder = project.replace(/\/+$/, '')
    add('(project = ? OR substr(project, 1, ?) = ?)', folder, folder.length + 1, `${folder}/`)
  }
  if (q !== undefined) {
    const text = q.toLowerCase()
    add(
      `(instr(lower(name), ?) OR instr(lower(coalesce(project, '')), ?)
        OR instr(lower(coalesce(last_message, '')), ?))`,
      ...[text, text, text],
    )
  }
  if (statuses !== undefined) {
    add(`status IN (${statuses.map(() => '?').join(', ')})`, ...statuses)
  }
  if (activeAfterMs !== undefined) add('last_ms > ?', activeAfterMs)
  if (inactiveSinceMs !== undefined) add('last_ms <= ?', inactiveSinceMs)
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, values }
}

const STATUSES = ['working', 'waiting', 'idle', 'failed', 'ended'] as const

const toSession = (row: Row): IndexedSession => ({
  id: String(row.id),
  name: String(row.name),
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

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
