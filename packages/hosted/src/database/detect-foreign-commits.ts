import type { Connection, Database } from '@steward/platform'
import type { Announcement } from './tx.ts'

export interface WatchedHeads {
  /** Announces what other processes did since the last look. */
  look(): void
  /** What this process announced itself. */
  note(announcement: Announcement): void
}

/**
 * Finds what other processes appended: the file's version changes only by their commits. Rows get
 * ever higher numbers while the highest one stays, so that what is new is all behind it. Only when
 * that one is gone, or sessions were deleted, is everything compared.
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
  /** Those of the last minute whose archival is known. */
  let archived = new Set(database.read((connection) => readArchived(connection, mark)))
  /** Sessions that this process wrote to since the mark: their rows are not behind it. */
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
  /** What is not known yet, in one snapshot; who hears of it may query by themselves after that. */
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
 * The last row of each table, by its number and by what it is, how many sessions there are, and when
 * the last one was archived.
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

/** What was archived first may be written last. */
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

/** Whether both last rows are where they were, and of the sessions that there are now none is missing. */
const stands = ({ statement }: Connection, mark: Mark, sessions: number): boolean => {
  const event = statement('SELECT id FROM events WHERE rowid = ?').get(mark.event)
  const session = statement('SELECT id FROM sessions WHERE rowid = ?').get(mark.session)
  if (mark.event > 0 && event?.id !== mark.eventId) return false
  if (mark.session > 0 && session?.id !== mark.sessionId) return false
  const made = statement('SELECT COUNT(*) AS count FROM sessions WHERE rowid > ?').get(mark.session)
  return sessions === mark.sessions + Number(made?.count)
}
