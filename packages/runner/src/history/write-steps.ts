import { type RecordedError, StewardError } from '@steward/contract'
import type { Connection } from '@steward/platform'
import type { FinishedStep, StepDone, StepStart } from './history.ts'
import type { EncodedPayload, HistoryRedactor, Payloads } from './payloads.ts'
import { encodeSpend } from './spend.ts'
import { encodeLogs, storeLogs } from './step-logs.ts'

/** A change with redacted and encoded values, so that the write transaction only stores it. */
export type ReadyChange = (connection: Connection) => void

/** A step's start, redacted and encoded, so that the write transaction only stores it. */
export interface ReadyStart extends Omit<StepStart, 'input'> {
  input: EncodedPayload | undefined
}

/** `filtered`: a condition that was not met. `handled`: a failure for which other steps ran. */
export type StepMark = 'filtered' | 'handled'

/** A step's end, likewise. */
export interface ReadyEnd extends Pick<StepDone, 'index' | 'endedAt' | 'isolation'> {
  output: EncodedPayload | undefined
  error: string | null
  retries: number
  /** What became of a condition or a failure; null for the usual end. */
  mark: StepMark | null
  spend: string | null
  /** Entries for the step's log. */
  logs: string | null
}

/** An existing step is restarted; one that never ended is still the same attempt. */
const AGAIN = `ON CONFLICT (run_id, idx) DO UPDATE SET
    action = excluded.action, started_at = excluded.started_at,
    attempts = attempts + (ended_at IS NOT NULL) + excluded.attempts - 1,
    input = ifnull(excluded.input, input),
    input_redacted = iif(excluded.input IS NULL, input_redacted, excluded.input_redacted),
    ended_at = excluded.ended_at, spend = excluded.spend, isolation = excluded.isolation,
    error = excluded.error, output = excluded.output, output_redacted = excluded.output_redacted,
    mark = excluded.mark`

const START = `INSERT INTO steps (run_id, idx, action, started_at, input, input_redacted, path)
  VALUES (?, ?, ?, ?, ?, ?, ?) ${AGAIN}`

const WHOLE = `INSERT INTO steps (run_id, idx, action, started_at, input, input_redacted,
  path, ended_at, spend, isolation, error, output, output_redacted, mark, attempts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${AGAIN}`

/** The end of the steps for a failure adds only their output. */
const END = `UPDATE steps SET ended_at = ?, spend = ifnull(?, spend),
  isolation = ifnull(?, isolation), error = ?, output = ?,
  output_redacted = ?, mark = ?, attempts = attempts + ? WHERE run_id = ? AND idx = ?`

export const prepareStart = (
  { index, path, action, startedAt, input }: StepStart,
  payloads: Payloads,
): ReadyStart => ({
  index,
  ...(path === undefined ? {} : { path }),
  action,
  startedAt,
  input: input === undefined ? undefined : payloads.encode(input),
})

export const prepareEnd = (
  { index, endedAt, outcome, spend, isolation, logs = [], retries = 0 }: StepDone,
  payloads: Payloads,
  redactor: HistoryRedactor,
): ReadyEnd => ({
  index,
  endedAt,
  isolation,
  output:
    'output' in outcome && outcome.output !== undefined
      ? payloads.encode(outcome.output)
      : undefined,
  error: 'error' in outcome ? encodeError(outcome.error, redactor) : null,
  mark: markOf(outcome),
  retries,
  spend: encodeSpend(spend),
  logs: encodeLogs(logs, redactor),
})

const markOf = (outcome: StepDone['outcome']): StepMark | null => {
  if ('isHandled' in outcome) return 'handled'
  return 'passed' in outcome && !outcome.passed ? 'filtered' : null
}

export const storeStart = (
  connection: Connection,
  runId: string,
  { index, path, action, startedAt, input }: ReadyStart,
  payloads: Payloads,
): void => {
  keep(connection, runId, input, payloads)
  connection
    .statement(START)
    .run(runId, index, action, startedAt, input?.column ?? null, input?.redacted ?? 0, path ?? null)
}

export const storeEnd = (
  connection: Connection,
  runId: string,
  { index, endedAt, spend, isolation, error, output, mark, logs, retries }: ReadyEnd,
  payloads: Payloads,
): void => {
  keep(connection, runId, output, payloads)
  storeLogs(connection, runId, index, logs)
  const { changes } = connection
    .statement(END)
    .run(
      endedAt,
      spend,
      isolation,
      error,
      output?.column ?? null,
      output?.redacted ?? 0,
      mark,
      retries,
      runId,
      index,
    )
  if (changes === 1) return
  throw new StewardError('not_found', { what: `step ${index} of run`, name: runId })
}

/** A step that started and ended since the last commit: one row written once. */
export const storeWhole = (
  connection: Connection,
  runId: string,
  { index, path, action, startedAt, input }: ReadyStart,
  { endedAt, spend, isolation, error, output, mark, logs, retries }: ReadyEnd,
  payloads: Payloads,
): void => {
  keep(connection, runId, input, payloads)
  keep(connection, runId, output, payloads)
  storeLogs(connection, runId, index, logs)
  connection
    .statement(WHOLE)
    .run(
      runId,
      index,
      action,
      startedAt,
      input?.column ?? null,
      input?.redacted ?? 0,
      path ?? null,
      endedAt,
      spend,
      isolation,
      error,
      output?.column ?? null,
      output?.redacted ?? 0,
      mark,
      1 + retries,
    )
}

/** A step inherited from another run. That run paid for it, so it costs nothing here. */
export const prepareInherited = (
  runId: string,
  step: FinishedStep,
  payloads: Payloads,
): ReadyChange => {
  const start = prepareStart(step, payloads)
  const { index, endedAt, isolation } = step
  const output = payloads.encode(step.output)
  const end: ReadyEnd = {
    index,
    endedAt,
    isolation,
    output,
    error: null,
    mark: null,
    retries: 0,
    spend: null,
    logs: null,
  }
  return (connection) => storeWhole(connection, runId, start, end, payloads)
}

const keep = (
  connection: Connection,
  runId: string,
  payload: EncodedPayload | undefined,
  payloads: Payloads,
): void => {
  if (payload?.file !== undefined) payloads.keep(connection, runId, payload)
}

export const encodeError = (error: RecordedError, redactor: HistoryRedactor): string =>
  JSON.stringify(redactor.redactFields(error).value)
