import { HOSTS, type HostName } from '@steward/contract'
import type { Connection } from '@steward/platform'

/** A session of an assistant, as its own records describe it. */
export interface LedgerSession {
  host: HostName
  session: string
  title: string | null
  project: string | null
  model: string
  startedMs: number
  lastMs: number
}

/** How far the sessions were read: up to this context, and up to this quarter of an hour. */
export interface SessionCursor {
  context: number
  quarter: number
}

export interface SessionChanges {
  sessions: LedgerSession[]
  next: SessionCursor
  /** False if more follow. */
  isAll: boolean
}

const AT_ONCE = 500

/** The contexts since then: new ones first, then those with new calls. */
const NEW = 'SELECT id, session FROM contexts WHERE id > ? ORDER BY id LIMIT ?'
const ACTIVE = 'SELECT session, last_quarter FROM contexts WHERE last_quarter >= ?'

/** The main agent's latest context first: its folder and model are those of the session. */
const CONTEXTS = `
  SELECT assistant, session, project, model,
    (SELECT min(at_ms) FROM call_rows WHERE context = contexts.id) AS started_ms,
    (SELECT max(at_ms) FROM call_rows WHERE context = contexts.id) AS last_ms,
    (SELECT title FROM sessions WHERE sessions.assistant = contexts.assistant
      AND sessions.session = contexts.session) AS title
  FROM contexts
  WHERE session IN (SELECT value FROM json_each(?)) AND last_ms IS NOT NULL
  ORDER BY subagent <> '', last_quarter DESC`

/** Sessions of assistants that are new or were active since the last look, a part at a time. */
export const readSessionChanges = (
  connection: Connection,
  since: SessionCursor,
): SessionChanges => {
  const { statement } = connection
  const last = Number(statement('SELECT max(id) AS id FROM contexts').get()?.id ?? 0)
  // The ledger was made again.
  const { context, quarter } = last < since.context ? { context: 0, quarter: 0 } : since
  const found = statement(NEW).all(context, AT_ONCE)
  if (found.length > 0) {
    return {
      sessions: readSessions(connection, found),
      next: { context: Number(found.at(-1)?.id), quarter },
      isAll: false,
    }
  }
  const active = quarter === 0 ? [] : statement(ACTIVE).all(quarter)
  const latest = Number(statement('SELECT max(last_quarter) AS at FROM contexts').get()?.at ?? 0)
  return {
    sessions: readSessions(connection, active),
    next: { context, quarter: Math.max(quarter, latest) },
    isAll: true,
  }
}

const readSessions = (
  { statement }: Connection,
  contexts: ReadonlyArray<{ session?: unknown }>,
): LedgerSession[] => {
  const wanted = [...new Set(contexts.map(({ session }) => String(session)))]
  if (wanted.length === 0) return []
  const found = new Map<string, LedgerSession>()
  for (const row of statement(CONTEXTS).all(JSON.stringify(wanted))) {
    const host = HOSTS.find((each) => each === row.assistant)
    if (host === undefined) continue
    const startedMs = Number(row.started_ms)
    const lastMs = Number(row.last_ms)
    const session = String(row.session)
    const key = `${host} ${session}`
    const known = found.get(key)
    found.set(
      key,
      known === undefined
        ? {
            ...{ host, session, model: String(row.model), startedMs, lastMs },
            title: textOf(row.title),
            project: textOf(row.project),
          }
        : {
            ...known,
            project: known.project ?? textOf(row.project),
            startedMs: Math.min(known.startedMs, startedMs),
            lastMs: Math.max(known.lastMs, lastMs),
          },
    )
  }
  return [...found.values()]
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null
