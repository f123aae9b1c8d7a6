import type { Connection, Database } from '@steward/platform'
import type { Announcement } from './tx.ts'

export interface WatchedHeads {
  /** Announces changes that other processes made since the last look. */
  look(): void
  /** Records what this process announced itself. */
  note(announcement: Announcement): void
}

/**
 * Detects what other processes appended: the file's version changes only with their commits. Row
 * numbers only grow while the highest row exists, so new rows are behind it. Only if that row is
 * gone or sessions were deleted is everything compared.
 */
export const detectForeignCommits = (
  database: Pick<Database, 'read' | 'statement'>,
  tell: (announcement: Announcement) => void,
): WatchedHeads => {
  const versionOf = (): number =>
    Number(database.statement('PRAGMA data_version').get()?.data_version)
  let version = versionOf()
  const heads = database.read(readAll)
  let mark = database.read(readMark)
  /** Sessions archived in the last minute that were already announced. */
  let archived = new Set(database.read((connection) => readArchived(connection, mark)))
  /** Sessions that this process wrote to since the mark; their rows are not behind it. */
  const since = new Set<string>()

  const note = ({ sessionId, news }: Announcement): void => {
    if (news.type === 'appended') {
      heads.set(sessionId, news.seq)
      since.add(sessionId)
    }
    if (news.type === 'archived') archived.add(sessionId)
    if (news.type === 'deleted') {
      heads.delete(sessionId)
      since.delete(sessionId)
    }
  }
  /** Finds unknown changes in one snapshot; listeners may run their own queries afterwards. */
  const findNews = (connection: Connection): Announcement[] => {
    const next = readMark(connection)
    const isIntact = stands(connection, mark, next.sessions)
    const ended = readArchived(connection, mark).filter((id) => !archived.has(id))
    const found = isIntact ? readNew(connection, mark) : readAll(connection)
    archived = new Set(readArchived(connection, next))
    mark = next
    const news: Announcement[] = []
    for (const [sessionId, seq] of found)
      if ((heads.get(sessionId) ?? 0) < seq)
        news.push({ sessionId, news: { type: 'appended', seq } })
    const isGone = (sessionId: string): boolean =>
      isIntact ? !isThere(connection, sessionId) : !found.has(sessionId)
    for (const sessionId of isIntact ? since : heads.keys())
      if (isGone(sessionId)) news.push({ sessionId, news: { type: 'deleted' } })
    for (const sessionId of ended) news.push({ sessionId, news: { type: 'archived' } })
    since.clear()
    return news
  }

  return {
    note,
    look: () => {
      const current = versionOf()
      if (current === version) return
      version = current
      for (const announcement of database.read(findNews)) {
        note(announcement)
        tell(announcement)
      }
    },
  }
}

/**
 * The number and id of each table's last row, the number of sessions, and the time of the last
 * archival.
 */
interface Mark {
  event: number
  eventId: string
  session: number
  sessionId: string
  sessions: number
  archivedMs: number
}

const readAll = ({ statement }: Connection): Map<string, number> =>
  new Map(
    statement('SELECT id, last_seq FROM sessions WHERE last_seq > 0')
      .all()
      .map((row) => [String(row.id), Number(row.last_seq)]),
  )

const isThere = ({ statement }: Connection, sessionId: string): boolean =>
  statement('SELECT 1 FROM sessions WHERE id = ?').get(sessionId) !== undefined

const readNew = ({ statement }: Connection, { event }: Mark): Map<string, number> =>
  new Map(
    statement('SELECT session_id, MAX(seq) AS seq FROM events WHERE rowid > ? GROUP BY session_id')
      .all(event)
      .map((row) => [String(row.session_id), Number(row.seq)]),
  )

/** Archivals may be committed in another order than their timestamps. */
const MARGIN_MS = 60_000

const readArchived = ({ statement }: Connection, { archivedMs }: Mark): string[] =>
  statement('SELECT id FROM sessions WHERE archived_ms >= ?')
    .all(archivedMs - MARGIN_MS)
    .map((row) => String(row.id))

const readMark = ({ statement }: Connection): Mark => {
  const event = statement('SELECT rowid AS place, id FROM events ORDER BY rowid DESC LIMIT 1').get()
  const last = statement(
    'SELECT rowid AS place, id FROM sessions ORDER BY rowid DESC LIMIT 1',
  ).get()
  return {
    event: Number(event?.place ?? 0),
    eventId: String(event?.id ?? ''),
    session: Number(last?.place ?? 0),
    sessionId: String(last?.id ?? ''),
    sessions: Number(statement('SELECT COUNT(*) AS count FROM sessions').get()?.count),
    archivedMs: Number(
      statement('SELECT MAX(archived_ms) AS last FROM sessions WHERE archived_ms IS NOT NULL').get()
        ?.last ?? 0,
    ),
  }
}

/** Whether both last rows are unchanged and no session was deleted. */
const stands = ({ statement }: Connection, mark: Mark, sessions: number): boolean => {
  const event = statement('SELECT id FROM events WHERE rowid = ?').get(mark.event)
  const session = statement('SELECT id FROM sessions WHERE rowid = ?').get(mark.session)
  if (mark.event > 0 && event?.id !== mark.eventId) return false
  if (mark.session > 0 && session?.id !== mark.sessionId) return false
  const made = statement('SELECT COUNT(*) AS count FROM sessions WHERE rowid > ?').get(mark.session)
  return sessions === mark.sessions + Number(made?.count)
}
