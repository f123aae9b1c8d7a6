import { join } from 'node:path'
import { FIRING_STATES, LIMITS, type TaskFiring } from '@steward/contract'
import { type Database, type Home, openDatabase } from '@steward/platform'
import { z } from 'zod'

export const ASSISTANT_MIGRATIONS = [
  `CREATE TABLE cursors (
     task TEXT PRIMARY KEY, schedule TEXT NOT NULL, cursor_ms INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE firings (
     task TEXT NOT NULL, due_ms INTEGER NOT NULL, state TEXT NOT NULL,
     attempts INTEGER NOT NULL DEFAULT 0, started_ms INTEGER, ended_ms INTEGER, detail TEXT,
     PRIMARY KEY (task, due_ms)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX open_firings ON firings (state) WHERE state IN ('claimed', 'running');
   CREATE TABLE evidence (key TEXT PRIMARY KEY, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;`,
]
const KEPT_FIRINGS = 500

const cursorRow = z.object({ schedule: z.string(), cursor_ms: z.number() })
const firingRow = z.object({
  task: z.string(),
  due_ms: z.number(),
  state: z.enum(FIRING_STATES),
  attempts: z.number(),
  started_ms: z.number().nullable(),
  ended_ms: z.number().nullable(),
  detail: z.string().nullable(),
})
const countRow = z.object({ fired: z.number(), last_ms: z.number().nullable() })

export interface OpenFiring {
  task: string
  dueMs: number
  state: 'claimed' | 'running'
  attempts: number
}

/**
 * `state/assistant.sqlite`: the firings. A database instead of an editable file, because it
 * guarantees that nothing happens twice.
 */
export interface TaskState {
  cursor: (task: string) => { schedule: string; cursorMs: number } | undefined
  /**
   * Stores firings and the task's progress in one commit. Existing firings are unchanged; returns
   * the due times of the new ones.
   */
  claim: (
    task: string,
    schedule: string,
    cursorMs: number,
    firings: readonly { dueMs: number; state: 'claimed' | 'missed'; detail: string | null }[],
  ) => Promise<ReadonlySet<number>>
  begin: (task: string, dueMs: number, atMs: number) => Promise<void>
  end: (
    task: string,
    dueMs: number,
    ending: { state: TaskFiring['state']; detail: string | null; atMs: number },
  ) => Promise<void>
  /** Firings that were claimed or started and never closed. */
  open: () => OpenFiring[]
  history: (task: string, limit: number) => TaskFiring[]
  counts: (task: string) => { fired: number; lastMs: number | null }
  /** False if the key already existed. */
  recordEvidence: (key: string, atMs: number) => Promise<boolean>
  close: () => Promise<void>
}

export const openTaskState = (home: Pick<Home, 'databases'>): TaskState => {
  const path = join(home.databases, 'assistant.sqlite')
  return createTaskState(openDatabase(path, { migrations: ASSISTANT_MIGRATIONS }))
}

const createTaskState = (database: Database): TaskState => ({
  cursor: (task) => {
    const found = database.read(({ statement }) =>
      statement('SELECT schedule, cursor_ms FROM cursors WHERE task = ?').get(task),
    )
    if (found === undefined) return undefined
    const { schedule, cursor_ms } = cursorRow.parse(found)
    return { schedule, cursorMs: cursor_ms }
  },
  claim: (task, schedule, cursorMs, firings) =>
    database.write(({ statement }) => {
      const insert = statement(
        'INSERT OR IGNORE INTO firings (task, due_ms, state, detail) VALUES (?, ?, ?, ?)',
      )
      const fresh = new Set<number>()
      for (const { dueMs, state, detail } of firings) {
        if (Number(insert.run(task, dueMs, state, detail).changes) > 0) fresh.add(dueMs)
      }
      statement(
        `INSERT INTO cursors (task, schedule, cursor_ms) VALUES (?, ?, ?)
         ON CONFLICT (task) DO UPDATE SET schedule = excluded.schedule, cursor_ms = excluded.cursor_ms`,
      ).run(task, schedule, cursorMs)
      statement(
        `DELETE FROM firings WHERE task = ? AND state NOT IN ('claimed', 'running') AND due_ms <
         (SELECT due_ms FROM firings WHERE task = ? ORDER BY due_ms DESC LIMIT 1 OFFSET ?)`,
      ).run(task, task, KEPT_FIRINGS)
      return fresh
    }),
  begin: (task, dueMs, atMs) =>
    database.write(({ statement }) => {
      statement(
        `UPDATE firings SET state = 'running', attempts = attempts + 1, started_ms = ?
         WHERE task = ? AND due_ms = ?`,
      ).run(atMs, task, dueMs)
    }),
  end: (task, dueMs, { state, detail, atMs }) =>
    database.write(({ statement }) => {
      statement(
        'UPDATE firings SET state = ?, detail = ?, ended_ms = ? WHERE task = ? AND due_ms = ?',
      ).run(state, detail?.slice(0, LIMITS.taskDetailChars) ?? null, atMs, task, dueMs)
    }),
  open: () =>
    database
      .read(({ statement }) =>
        statement(
          "SELECT * FROM firings WHERE state IN ('claimed', 'running') ORDER BY due_ms",
        ).all(),
      )
      .flatMap((row) => {
        const { task, due_ms, state, attempts } = firingRow.parse(row)
        return state === 'claimed' || state === 'running'
          ? [{ task, dueMs: due_ms, state, attempts }]
          : []
      }),
  history: (task, limit) =>
    database
      .read(({ statement }) =>
        statement('SELECT * FROM firings WHERE task = ? ORDER BY due_ms DESC LIMIT ?').all(
          task,
          limit,
        ),
      )
      .map((row) => describeFiring(firingRow.parse(row))),
  counts: (task) => {
    const row = database.read(({ statement }) =>
      statement(
        `SELECT count(*) AS fired, max(due_ms) AS last_ms FROM firings
         WHERE task = ? AND state NOT IN ('missed', 'cancelled')`,
      ).get(task),
    )
    const { fired, last_ms } = countRow.parse(row)
    return { fired, lastMs: last_ms }
  },
  recordEvidence: (key, atMs) =>
    database.write(({ statement }) => {
      const { changes } = statement(
        'INSERT OR IGNORE INTO evidence (key, at_ms) VALUES (?, ?)',
      ).run(key, atMs)
      return Number(changes) > 0
    }),
  close: () => database.close(),
})

const describeFiring = (row: z.infer<typeof firingRow>): TaskFiring => ({
  due: new Date(row.due_ms).toISOString(),
  state: row.state,
  attempts: row.attempts,
  startedAt: row.started_ms === null ? null : new Date(row.started_ms).toISOString(),
  endedAt: row.ended_ms === null ? null : new Date(row.ended_ms).toISOString(),
  detail: row.detail,
})
