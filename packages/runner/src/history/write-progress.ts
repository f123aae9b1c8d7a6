import type { Connection, Database } from '@steward/platform'
import { endWithin, prepareAdvance, type ReadyAdvance, storeAdvances } from './advance-run.ts'
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
    begin: ({ runId, store, firstStep: begins, hasInherited }) => {
      const advances: ReadyAdvance[] = []
      return open(runId, advances, (connection) => {
        const ended = hasInherited ? undefined : endWithin(begins, advances)
        const existing = store(connection, ended)
        if (existing !== undefined) return existing
        const isEnded = ended !== undefined
        storeAdvances(connection, runId, advances, payloads, { begins, isEnded })
        return undefined
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
