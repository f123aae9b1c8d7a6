import type { HostedDatabase } from '../database/hosted-database.ts'
import { one } from '../database/tx.ts'

/** Runs a task that an interrupt of the session, or `signal`, aborts. */
export type RunInFlight = <T>(
  run: (signal: AbortSignal) => Promise<T>,
) => Promise<{ type: 'done'; value: T } | { type: 'interrupted' }>

const INTERRUPTED = new Error('the turn was interrupted')

export const createInFlight = (
  database: HostedDatabase,
  sessionId: string,
  signal: AbortSignal,
): RunInFlight => {
  const isInterrupted = (): Promise<boolean> =>
    database.read(function* () {
      const row = yield* one(
        `SELECT 1 AS found FROM events
         WHERE session_id = $1 AND type = 'user.interrupt' AND processed_ms IS NULL LIMIT 1`,
        sessionId,
      )
      return row !== undefined
    })

  return async (run) => {
    const interrupt = new AbortController()
    const end = AbortSignal.any([signal, interrupt.signal])
    const stopHearing = database.hear(({ news }) => {
      if (news.type === 'deleted') interrupt.abort(INTERRUPTED)
      if (news.type === 'appended') void check()
    }, sessionId)
    const check = async (): Promise<void> => {
      try {
        if (await isInterrupted()) interrupt.abort(INTERRUPTED)
      } catch (thrown) {
        // If the store cannot be read, it cannot save the result of this task either.
        interrupt.abort(thrown)
      }
    }
    try {
      // The interrupt may have arrived before the listener was registered.
      await check()
      end.throwIfAborted()
      return { type: 'done', value: await run(end) }
    } catch (thrown) {
      signal.throwIfAborted()
      if (interrupt.signal.aborted) return { type: 'interrupted' }
      throw thrown
    } finally {
      stopHearing()
    }
  }
}
