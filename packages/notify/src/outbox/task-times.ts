import type { Database } from '@steward/platform'

/** How long a session has worked on a request, across the processes that see its start and end. */
export interface TaskTimes {
  begin: (sessionId: string) => Promise<void>
  /** Milliseconds since the start, returned once; undefined if the start was not seen. */
  end: (sessionId: string) => Promise<number | undefined>
}

const FORGET_MS = 7 * 24 * 3_600_000

export const createTaskTimes = (
  { statement, write }: Pick<Database, 'statement' | 'write'>,
  now: () => number,
): TaskTimes => ({
  // Uses the time of the call, not of the write.
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
