import type { Database } from '@steward/platform'

/** How long a session has worked on what it was asked, across the processes that see its beginning and end. */
export interface TaskTimes {
  begin: (sessionId: string) => Promise<void>
  /** Milliseconds since it began, counted once; nothing when its beginning was not seen. */
  end: (sessionId: string) => Promise<number | undefined>
}

const FORGET_MS = 7 * 24 * 3_600_000

export const createTaskTimes = (
  { statement, write }: Pick<Database, 'statement' | 'write'>,
  now: () => number,
): TaskTimes => ({
  // The moment counts at which it was told, not the one at which it is written.
  begin: (sessionId) => {
    const atMs = now()
    return write(() => {
      statement('DELETE FROM task_starts WHERE started_at < ?').run(atMs - FORGET_MS)
      statement('INSERT OR REPLACE INTO task_starts (session_id, started_at) VALUES (?, ?)').run(
        sessionId,
        atMs,
      )
    })
  },
  end: (sessionId) => {
    const atMs = now()
    return write(() => {
      const sql = 'DELETE FROM task_starts WHERE session_id = ? RETURNING started_at'
      const row = statement(sql).get(sessionId)
      return row === undefined ? undefined : Math.max(0, atMs - Number(row.started_at))
    })
  },
})
