import type { Connection, Database } from '@steward/platform'
import { prepareAdvance, type ReadyAdvance, storeAdvances } from './advance-run.ts'
import type { ReadyBegin } from './begin-run.ts'
import type { RunHistory } from './history.ts'
import type { HistoryRedactor, Payloads } from './payloads.ts'

interface Unwritten {
  advances: ReadyAdvance[]
  written: Promise<unknown>
}

export interface ProgressWriter {
  /** Resolves with the existing run with the same idempotency key. */
  begin: (start: ReadyBegin) => Promise<string | undefined>
  advance: RunHistory['advance']
}

/**
 * Writes the start and the progress of runs. Progress made before the previous change was taken up
 * for a commit joins that change: both are committed together, and steps in between are written once.
 */
export const createProgressWriter = (
  database: Database,
  payloads: Payloads,
  redactor: HistoryRedactor,
): ProgressWriter => {
  const unwritten = new Map<string, Unwritten>()

  const open = <T>(
    runId: string,
    advances: ReadyAdvance[],
    store: (connection: Connection) => T,
  ): Promise<T> => {
    const written = database.write((connection) => {
      unwritten.delete(runId)
      return store(connection)
    })
    unwritten.set(runId, { advances, written })
    // If no transaction could begin, the change was never taken up.
    written.catch(() => {
      if (unwritten.get(runId)?.written === written) unwritten.delete(runId)
    })
    return written
  }

  return {
    begin: ({ runId, store, firstStep }) => {
      const advances: ReadyAdvance[] = []
      return open(runId, advances, (connection) => {
        const existing = store(connection)
        if (existing === undefined) {
          storeAdvances(connection, runId, advances, payloads, firstStep)
        }
        return existing
      })
    },
    advance: async (change) => {
      const { runId } = change
      const ready = prepareAdvance(change, payloads, redactor)
      const before = unwritten.get(runId)
      if (before !== undefined) {
        before.advances.push(ready)
        await before.written
        return
      }
      const advances = [ready]
      await open(runId, advances, (connection) =>
        storeAdvances(connection, runId, advances, payloads),
      )
    },
  }
}
