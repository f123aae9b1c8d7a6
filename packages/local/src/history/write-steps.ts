import { type RecordedError, StewardError } from '@steward/contract'
import type { Connection } from '../database/database.ts'
import type { FinishedStep, StepDone, StepStart } from './history.ts'
import type { HistoryRedactor, Payloads } from './payloads.ts'
import { encodeSpend } from './spend.ts'

/** A change whose values are redacted and encoded already: inside the write it only stores. */
export type ReadyChange = (connection: Connection) => void

/** A step that is there already is started again; one that never ended is still the same attempt. */
const START = `INSERT INTO steps (run_id, idx, action, started_at, input, input_redacted)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (run_id, idx) DO UPDATE SET
    action = excluded.action, started_at = excluded.started_at,
    attempts = attempts + (ended_at IS NOT NULL),
    input = ifnull(excluded.input, input),
    input_redacted = iif(excluded.input IS NULL, input_redacted, excluded.input_redacted),
    ended_at = NULL, error = NULL, spend = NULL, isolation = NULL, output = NULL, output_redacted = 0`

const INHERIT = `INSERT INTO steps (run_id, idx, action, started_at, ended_at, isolation,
  input, input_redacted, output, output_redacted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const END = `UPDATE steps SET ended_at = ?, spend = ?, isolation = ?, error = ?, output = ?,
  output_redacted = ? WHERE run_id = ? AND idx = ?`

export const prepareStart = (runId: string, step: StepStart, payloads: Payloads): ReadyChange => {
  const input = step.input === undefined ? undefined : payloads.encode(step.input)
  return (connection) => {
    if (input !== undefined) payloads.keep(connection, runId, input)
    connection
      .statement(START)
      .run(
        runId,
        step.index,
        step.action,
        step.startedAt,
        input?.column ?? null,
        input?.redacted ?? 0,
      )
  }
}

/** A step taken over from another run. That run paid for it, so here it cost nothing. */
export const prepareInherited = (
  runId: string,
  step: FinishedStep,
  payloads: Payloads,
): ReadyChange => {
  const input = step.input === undefined ? undefined : payloads.encode(step.input)
  const output = payloads.encode(step.output)
  return (connection) => {
    if (input !== undefined) payloads.keep(connection, runId, input)
    payloads.keep(connection, runId, output)
    connection
      .statement(INHERIT)
      .run(
        runId,
        step.index,
        step.action,
        step.startedAt,
        step.endedAt,
        step.isolation,
        input?.column ?? null,
        input?.redacted ?? 0,
        output.column,
        output.redacted,
      )
  }
}

export const prepareEnd = (
  runId: string,
  { index, endedAt, outcome, spend, isolation }: StepDone,
  payloads: Payloads,
  redactor: HistoryRedactor,
): ReadyChange => {
  const output = 'output' in outcome ? payloads.encode(outcome.output) : undefined
  const error = 'error' in outcome ? encodeError(outcome.error, redactor) : null
  return (connection) => {
    if (output !== undefined) payloads.keep(connection, runId, output)
    const { changes } = connection
      .statement(END)
      .run(
        endedAt,
        encodeSpend(spend),
        isolation,
        error,
        output?.column ?? null,
        output?.redacted ?? 0,
        runId,
        index,
      )
    if (changes === 1) return
    throw new StewardError('not_found', { what: `step ${index} of run`, name: runId })
  }
}

export const encodeError = (error: RecordedError, redactor: HistoryRedactor): string =>
  JSON.stringify(redactor.redactFields(error).value)
