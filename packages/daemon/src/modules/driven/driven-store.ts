import { join } from 'node:path'
import {
  comparison,
  type DrivenOutput,
  type DrivenSession,
  drivenOutput,
  drivenSession,
} from '@steward/contract'
import { type Home, openDatabase } from '@steward/platform'
import { z } from 'zod'

export const DRIVEN_MIGRATIONS = [
  `CREATE TABLE sessions (
     id TEXT PRIMARY KEY, body TEXT NOT NULL, state TEXT NOT NULL, pid INTEGER, pid_start TEXT,
     changed_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE output (
     session TEXT NOT NULL, seq INTEGER NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL,
     text TEXT NOT NULL, PRIMARY KEY (session, seq)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE turns (
     key TEXT PRIMARY KEY, body TEXT NOT NULL, changed_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE comparisons (
     id TEXT PRIMARY KEY, body TEXT NOT NULL, changed_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
]

/** Ended sessions are kept this long. */
const KEPT_MS = 90 * 86_400_000
/** The oldest pieces of a session are dropped beyond this. */
const MOST_PIECES = 5000

/** The process that a session last ran in; its start time tells it from a later one. */
export interface DrivenProcess {
  pid: number
  startTime: string
}

const row = z.object({
  body: z.string(),
  pid: z.number().nullable(),
  pid_start: z.string().nullable(),
})

/** A comparison as it is stored: its sessions by their ids. */
const storedComparison = comparison.omit({ sides: true }).extend({ sessions: z.array(z.string()) })
export type StoredComparison = z.infer<typeof storedComparison>

/** `state/driven.sqlite`: sessions that Steward started, and what they showed. */
export type DrivenStore = ReturnType<typeof openDrivenStore>

export const openDrivenStore = (home: Pick<Home, 'databases'>) => {
  const path = join(home.databases, 'driven.sqlite')
  const database = openDatabase(path, { migrations: DRIVEN_MIGRATIONS })
  // Every commit above is forced to disk, which takes milliseconds in which nothing else is answered. A
  // power failure may take the last pieces and counts; a kill takes none.
  const quick = openDatabase(path, { migrations: DRIVEN_MIGRATIONS, mayLoseLast: true })
  const read = (sql: string, ...values: (string | number)[]) =>
    database.read(({ statement }) => statement(sql).all(...values)).map((each) => row.parse(each))
  return {
    /** On disk when it returns, unless only its counts changed. */
    save: (session: DrivenSession, runs?: DrivenProcess, what?: 'counts'): void =>
      (what === 'counts' ? quick : database).writeNow(({ statement }) => {
        statement(
          `INSERT INTO sessions (id, body, state, pid, pid_start, changed_ms)
           VALUES (:id, :body, :state, :pid, :start, :changed)
           ON CONFLICT DO UPDATE SET body = excluded.body, state = excluded.state,
             pid = excluded.pid, pid_start = excluded.pid_start, changed_ms = excluded.changed_ms`,
        ).run({
          id: session.id,
          body: JSON.stringify(session),
          state: session.state,
          pid: runs?.pid ?? null,
          start: runs?.startTime ?? null,
          changed: Date.parse(session.changedAt),
        })
        if (session.key === null) return
        statement(
          `INSERT INTO turns VALUES (:key, :body, :changed)
           ON CONFLICT DO UPDATE SET body = excluded.body, changed_ms = excluded.changed_ms`,
        ).run({
          key: session.key,
          body: JSON.stringify(session),
          changed: Date.parse(session.changedAt),
        })
      }),
    /** The session as the turn with this key left it. */
    turn: (key: string): DrivenSession | undefined => {
      const found = database.read(({ statement }) =>
        statement('SELECT body FROM turns WHERE key = ?').get(key),
      )
      return found === undefined ? undefined : drivenSession.parse(JSON.parse(String(found.body)))
    },
    saveComparison: (given: StoredComparison): void =>
      database.writeNow(({ statement }) => {
        statement('INSERT INTO comparisons VALUES (?, ?, ?)').run(
          given.id,
          JSON.stringify(given),
          Date.parse(given.startedAt),
        )
      }),
    comparison: (id: string): StoredComparison | undefined => {
      const found = database.read(({ statement }) =>
        statement('SELECT body FROM comparisons WHERE id = ?').get(id),
      )
      return found === undefined
        ? undefined
        : storedComparison.parse(JSON.parse(String(found.body)))
    },
    /** The last ones first. */
    listComparisons: (limit: number): StoredComparison[] =>
      database
        .read(({ statement }) =>
          statement('SELECT body FROM comparisons ORDER BY changed_ms DESC, id LIMIT ?').all(limit),
        )
        .map(({ body }) => storedComparison.parse(JSON.parse(String(body)))),
    /** Sessions whose id is this or begins with it. */
    find: (id: string): DrivenSession[] => {
      const found = read(
        'SELECT * FROM sessions WHERE substr(id, 1, length(?)) = ? ORDER BY id LIMIT 10',
        id,
        id,
      ).map(({ body }) => drivenSession.parse(JSON.parse(body)))
      const exact = found.find((session) => session.id === id)
      return exact === undefined ? found : [exact]
    },
    /** The last ones first. */
    list: (limit: number): DrivenSession[] =>
      read("SELECT * FROM sessions ORDER BY body ->> '$.startedAt' DESC, id LIMIT ?", limit).map(
        ({ body }) => drivenSession.parse(JSON.parse(body)),
      ),
    /** Sessions whose work or process an earlier daemon left behind. */
    left: (): Array<{ session: DrivenSession; process: DrivenProcess | undefined }> =>
      read(
        "SELECT * FROM sessions WHERE state IN ('starting', 'working') OR pid IS NOT NULL ORDER BY id",
      ).map(({ body, pid, pid_start: startTime }) => ({
        session: drivenSession.parse(JSON.parse(body)),
        process: pid === null || startTime === null ? undefined : { pid, startTime },
      })),
    /** Ids of sessions that take messages. */
    open: (): string[] =>
      database
        .read(({ statement }) =>
          statement("SELECT id FROM sessions WHERE state IN ('starting', 'working', 'idle')").all(),
        )
        .map(({ id }) => String(id)),
    /** Returns the sessions that it removed. */
    prune: (nowMs: number): DrivenSession[] =>
      database.writeNow(({ statement }) => {
        const old = 'SELECT id FROM sessions WHERE changed_ms < ?'
        const removed = statement('SELECT * FROM sessions WHERE changed_ms < ?')
          .all(nowMs - KEPT_MS)
          .map((each) => drivenSession.parse(JSON.parse(row.parse(each).body)))
        statement(`DELETE FROM output WHERE session IN (${old})`).run(nowMs - KEPT_MS)
        statement('DELETE FROM sessions WHERE changed_ms < ?').run(nowMs - KEPT_MS)
        statement('DELETE FROM turns WHERE changed_ms < ?').run(nowMs - KEPT_MS)
        statement('DELETE FROM comparisons WHERE changed_ms < ?').run(nowMs - KEPT_MS)
        return removed
      }),
    show: (id: string, piece: Omit<DrivenOutput, 'seq'>): DrivenOutput =>
      // A message to the session is needed to resume it.
      (piece.kind === 'prompt' ? database : quick).writeNow(({ statement }) => {
        const last = statement('SELECT max(seq) AS seq FROM output WHERE session = ?').get(id)
        const seq = Number(last?.seq ?? 0) + 1
        const { at, kind, text } = piece
        statement('INSERT INTO output VALUES (?, ?, ?, ?, ?)').run(id, seq, at, kind, text)
        statement('DELETE FROM output WHERE session = ? AND seq <= ?').run(id, seq - MOST_PIECES)
        return { seq, ...piece }
      }),
    output: (id: string, after: number): DrivenOutput[] =>
      database
        .read(({ statement }) =>
          statement(
            'SELECT seq, at, kind, text FROM output WHERE session = ? AND seq > ? ORDER BY seq',
          ).all(id, after),
        )
        .map((each) => drivenOutput.parse(each)),
    /** The number of the piece before the last message to the session. */
    beforeLastTurn: (id: string): number =>
      database.read(({ statement }) => {
        const found = statement(
          "SELECT max(seq) AS seq FROM output WHERE session = ? AND kind = 'prompt'",
        ).get(id)
        return Math.max(0, Number(found?.seq ?? 0) - 1)
      }),
    /** The last message to the session; undefined before the first. */
    lastPrompt: (id: string): Pick<DrivenOutput, 'text' | 'at'> | undefined => {
      const found = database.read(({ statement }) =>
        statement(
          "SELECT at, text FROM output WHERE session = ? AND kind = 'prompt' ORDER BY seq DESC LIMIT 1",
        ).get(id),
      )
      return found === undefined ? undefined : { at: String(found.at), text: String(found.text) }
    },
    end: async () => {
      await quick.close()
      await database.close()
    },
  }
}
