import { StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'
import { OWN_ROW } from './begin-run.ts'
import type { Advance } from './history.ts'
import type { EncodedPayload, HistoryRedactor, Payloads } from './payloads.ts'
import {
  encodeError,
  prepareEnd,
  prepareStart,
  type ReadyEnd,
  type ReadyStart,
  storeEnd,
  storeStart,
  storeWhole,
} from './write-steps.ts'

/** One progress update, redacted and encoded, so that the write transaction only stores it. */
export interface ReadyAdvance {
  end: ReadyEnd | undefined
  start: ReadyStart | undefined
  finish: ReadyFinish | undefined
}

interface ReadyFinish {
  status: 'completed' | 'failed'
  filtered: string | null
  endedAt: number
  error: string | null
  /** The run's output, if it differs from that of its last step. */
  output: EncodedPayload | undefined
}

/** The run's spend is stored as those of its steps and summed up when read. */
const FINISH = `UPDATE runs SET status = ?, ended_at = ?, error = ?, filtered = ?, (step_count, spend) = (
    SELECT count(*), group_concat(spend) FROM steps WHERE run_id = ? AND idx >= 0)
  WHERE id = ? AND status = 'running'`
const STORE_OUTPUT = 'UPDATE steps SET output = ?, output_redacted = ? WHERE run_id = ? AND idx = ?'

export const prepareAdvance = (
  { done, next, finished }: Advance,
  payloads: Payloads,
  redactor: HistoryRedactor,
): ReadyAdvance => ({
  end: done === undefined ? undefined : prepareEnd(done, payloads, redactor),
  start: next === undefined ? undefined : prepareStart(next, payloads),
  finish: finished === undefined ? undefined : prepareFinish(finished, done, payloads, redactor),
})

const prepareFinish = (
  { status, endedAt, error, output, filtered }: NonNullable<Advance['finished']>,
  done: Advance['done'],
  payloads: Payloads,
  redactor: HistoryRedactor,
): ReadyFinish => {
  const lastOutput = done !== undefined && 'output' in done.outcome ? done.outcome.output : null
  const isOwn = output !== undefined && output !== lastOutput
  return {
    status,
    filtered: filtered ?? null,
    endedAt,
    error: error === undefined ? null : encodeError(error, redactor),
    output: isOwn ? payloads.encode(output) : undefined,
  }
}

/**
 * Stores successive progress of one run, after the step that it `begins` with, if any. A step that
 * started and ended within it is written once, as if its start had been stored first.
 */
export const storeAdvances = (
  connection: Connection,
  runId: string,
  advances: readonly ReadyAdvance[],
  payloads: Payloads,
  begins?: ReadyStart,
): void => {
  const begun = new Map<number, ReadyStart>()
  if (begins !== undefined) begun.set(begins.index, begins)
  const storeBegun = (): void => {
    for (const start of begun.values()) storeStart(connection, runId, start, payloads)
    begun.clear()
  }
  for (const { end, start, finish } of advances) {
    const started = end === undefined ? undefined : begun.get(end.index)
    if (end !== undefined && started !== undefined) {
      storeWhole(connection, runId, started, end, payloads)
      begun.delete(end.index)
    } else if (end !== undefined) {
      storeEnd(connection, runId, end, payloads)
    }
    if (start !== undefined) begun.set(start.index, start)
    if (finish !== undefined) {
      storeBegun()
      storeFinish(connection, runId, finish, payloads)
    }
  }
  storeBegun()
}

const storeFinish = (
  connection: Connection,
  runId: string,
  { status, endedAt, error, output, filtered }: ReadyFinish,
  payloads: Payloads,
): void => {
  const { statement } = connection
  if (output !== undefined) {
    payloads.keep(connection, runId, output)
    statement(STORE_OUTPUT).run(output.column, output.redacted, runId, OWN_ROW)
  }
  const { changes } = statement(FINISH).run(status, endedAt, error, filtered, runId, runId)
  if (changes === 1) return
  throw new StewardError('not_found', { what: 'unfinished run', name: runId })
}
