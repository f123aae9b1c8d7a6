import { type Fields, StewardError } from '@steward/contract'
import type { Connection } from '../database/database.ts'
import { OWN_ROW } from './begin-run.ts'
import type { Advance } from './history.ts'
import type { HistoryRedactor, Payloads } from './payloads.ts'
import { encodeError, prepareEnd, prepareStart, type ReadyChange } from './write-steps.ts'

/** The run's spend is stored as those of its steps; whoever reads it sums them up. */
const FINISH = `UPDATE runs SET status = ?, ended_at = ?, error = ?, (step_count, spend) = (
    SELECT count(*), group_concat(spend) FROM steps WHERE run_id = ? AND idx >= 0)
  WHERE id = ? AND status = 'running'`
const STORE_OUTPUT = 'UPDATE steps SET output = ?, output_redacted = ? WHERE run_id = ? AND idx = ?'

/** Readies one commit of progress. */
export const prepareAdvance = (
  { runId, done, next, finished }: Advance,
  payloads: Payloads,
  redactor: HistoryRedactor,
): ReadyChange => {
  const changes: ReadyChange[] = []
  if (done !== undefined) changes.push(prepareEnd(runId, done, payloads, redactor))
  if (next !== undefined) changes.push(prepareStart(runId, next, payloads))
  if (finished !== undefined) {
    const lastOutput = done !== undefined && 'output' in done.outcome ? done.outcome.output : null
    if (finished.output !== undefined && finished.output !== lastOutput) {
      changes.push(prepareOutput(runId, finished.output, payloads))
    }
    changes.push(prepareFinish(runId, finished, redactor))
  }
  return (connection) => {
    for (const change of changes) change(connection)
  }
}

const prepareOutput = (runId: string, output: Fields, payloads: Payloads): ReadyChange => {
  const encoded = payloads.encode(output)
  return (connection) => {
    payloads.keep(connection, runId, encoded)
    connection.statement(STORE_OUTPUT).run(encoded.column, encoded.redacted, runId, OWN_ROW)
  }
}

const prepareFinish = (
  runId: string,
  { status, endedAt, error }: NonNullable<Advance['finished']>,
  redactor: HistoryRedactor,
): ReadyChange => {
  const encodedError = error === undefined ? null : encodeError(error, redactor)
  return ({ statement }: Connection) => {
    const { changes } = statement(FINISH).run(status, endedAt, encodedError, runId, runId)
    if (changes === 1) return
    throw new StewardError('not_found', { what: 'unfinished run', name: runId })
  }
}
