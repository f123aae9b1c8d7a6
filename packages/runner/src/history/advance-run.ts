import { StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'
import { OWN_ROW, type RunEnd } from './begin-run.ts'
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

/** The end of a run that began with this step and ended within this progress, each step once. */
export const endWithin = (
  begins: ReadyStart,
  advances: readonly ReadyAdvance[],
): RunEnd | undefined => {
  const finish = advances.at(-1)?.finish
  if (finish === undefined) return undefined
  const steps = new Set([begins.index])
  const spends: string[] = []
  let ends = 0
  for (const { start, end } of advances) {
    if (start !== undefined) steps.add(start.index)
    if (end === undefined) continue
    ends += 1
    if (end.spend !== null) spends.push(end.spend)
  }
  if (ends !== steps.size) return undefined
  const { status, endedAt, error, filtered } = finish
  const spend = spends.length === 0 ? null : spends.join(',')
  return { status, endedAt, error, filtered, stepCount: steps.size, spend }
}

/**
 * Stores successive progress of one run. A step that started and ended within it is written once,
 * as if its start had been stored first.
 */
export const storeAdvances = (
  connection: Connection,
  runId: string,
  advances: readonly ReadyAdvance[],
  payloads: Payloads,
  /** The first step, and whether the run's own row says already that it ended. */
  { begins, isEnded = false }: { begins?: ReadyStart; isEnded?: boolean } = {},
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
      storeOutput(connection, runId, finish, payloads)
      if (!isEnded) storeFinish(connection, runId, finish)
    }
  }
  storeBegun()
}

const storeOutput = (
  connection: Connection,
  runId: string,
  { output }: ReadyFinish,
  payloads: Payloads,
): void => {
  if (output === undefined) return
  payloads.keep(connection, runId, output)
  connection.statement(STORE_OUTPUT).run(output.column, output.redacted, runId, OWN_ROW)
}

const storeFinish = (
  { statement }: Connection,
  runId: string,
  { status, endedAt, error, filtered }: ReadyFinish,
): void => {
  const { changes } = statement(FINISH).run(status, endedAt, error, filtered, runId, runId)
  if (changes === 1) return
  throw new StewardError('not_found', { what: 'unfinished run', name: runId })
}
