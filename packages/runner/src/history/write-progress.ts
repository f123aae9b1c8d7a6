import type { Database } from '@steward/platform'
import { prepareAdvance, type ReadyAdvance, storeAdvances } from './advance-run.ts'
import type { RunHistory } from './history.ts'
import type { HistoryRedactor, Payloads } from './payloads.ts'

interface Unwritten {
  advances: ReadyAdvance[]
  written: Promise<void>
}

/**
 * Writes the progress of runs. Progress made before the previous change was taken up for a commit
 * joins that change: both are committed together, and steps in between are written once.
 */
export const createProgressWriter = (
  database: Database,
  payloads: Payloads,
  redactor: HistoryRedactor,
): RunHistory['advance'] => {
  const unwritten = new Map<string, Unwritten>()

  const open = (runId: string, first: ReadyAdvance): Promise<void> => {
    const advances = [first]
    const written = database.write((connection) => {
      unwritten.delete(runId)
      storeAdvances(connection, runId, advances, payloads)
    })
    unwritten.set(runId, { advances, written })
    // If no transaction could begin, the change was never taken up.
    written.catch(() => {
      if (unwritten.get(runId)?.written === written) unwritten.delete(runId)
    })
    return written
  }

  return async (change) => {
    const ready = prepareAdvance(change, payloads, redactor)
    const before = unwritten.get(change.runId)
    if (before === undefined) return open(change.runId, ready)
    before.advances.push(ready)
    return before.written
  }
}
