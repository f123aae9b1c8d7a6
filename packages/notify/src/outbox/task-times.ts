import type { Connection } from './connection.ts'

/** How long a session has worked on what it was asked, across the processes that see its beginning and end. */
export interface TaskTimes {
  begin: (sessionId: string) => void
  /** Milliseconds since it began, counted once; nothing when its beginning was not seen. */
  end: (sessionId: string) => number | undefined
}

const FORGET_MS = 7 * 24 * 3_600_000

export const createTaskTimes = (
  { statement, write }: Pick<Connection, 'statement' | 'write'>,
  now: () => number,
): TaskTimes => ({
  begin: (sessionId) =>
    write(() => {
      statement('DELETE FROM task_starts WHERE started_at < ?').run(now() - FORGET_MS)
      statement('INSERT OR REPLACE INTO task_starts (session_id, started_at) VALUES (?, ?)').run(
        sessionId,
        now(),
      )
    }),
  end: (sessionId) =>
    write(() => {
      const sql = 'DELETE FROM task_starts WHERE session_id = ? RETURNING started_at'
      const row = statement(sql).get(sessionId)
      return row === undefined ? undefined : Math.max(0, now() - Number(row.started_at))
    }),
})
