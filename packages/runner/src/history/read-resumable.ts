import { type JsonObject, type RecordedError, stepRecord } from '@steward/contract'
import type { Connection, Row } from '@steward/platform'
import type { FinishedStep, ResumableRun, StoredStep } from './history.ts'
import type { Payloads } from './payloads.ts'
import { readOwnRow, readSteps, type StepRow } from './read-detail.ts'
import { errorOf, type LeftOwners, readRun } from './read-runs.ts'
import { decodeSpends } from './spend.ts'

const REDACTED_CALLS =
  'SELECT 1 FROM model_calls WHERE run_id = ? AND step = ? AND redacted = 1 LIMIT 1'

/** Without payloads: a fan-out has many steps, and few of them are needed. */
const PLACED = `SELECT idx, path, action, ended_at, error, mark, output IS NOT NULL AS has_output
  FROM steps WHERE run_id = ? AND path IS NOT NULL`
const ANY_REDACTED = `SELECT 1 FROM steps
    WHERE run_id = ?1 AND (input_redacted = 1 OR output_redacted = 1)
  UNION ALL SELECT 1 FROM model_calls WHERE run_id = ?1 AND redacted = 1 LIMIT 1`

const toStored = ({ idx, action, ended_at, error, mark, has_output }: Row): StoredStep => {
  const step = { index: Number(idx), action: String(action) }
  if (ended_at === null) return { ...step, state: 'open' }
  if (has_output === 1) return { ...step, state: 'completed' }
  if (mark === 'handled' || mark === 'filtered') return { ...step, state: mark }
  return { ...step, state: error === null ? 'passed' : 'open' }
}

/** What a finished step left. */
export const readStep = (
  { statement }: Connection,
  runId: string,
  index: number,
  payloads: Payloads,
): { output?: JsonObject; error?: RecordedError } => {
  const row = statement('SELECT output, error FROM steps WHERE run_id = ? AND idx = ?').get(
    runId,
    index,
  )
  const error = row === undefined ? null : errorOf(row)
  return {
    ...(typeof row?.output === 'string' ? { output: payloads.decode(row.output) } : {}),
    ...(error === null ? {} : { error }),
  }
}

export const readResumable = (
  connection: Connection,
  runId: string,
  left: LeftOwners,
  payloads: Payloads,
): ResumableRun | undefined => {
  const record = readRun(connection, runId, left)
  if (record === undefined) return undefined
  const definition = connection
    .statement('SELECT body, redacted FROM definitions WHERE hash = ?')
    .get(record.definition.hash)
  if (definition === undefined) return undefined
  const snapshot = { ...record.definition, body: payloads.decode(String(definition.body)) }
  const placed = connection.statement(PLACED).all(runId)
  if (placed.length > 0) {
    const input = readOwnRow(connection, runId, payloads)?.input
    if (input === undefined) return undefined
    return {
      record,
      definition: snapshot,
      input,
      finished: [],
      places: new Map(placed.map((row) => [String(row.path), toStored(row)])),
      pending: undefined,
      redacted:
        definition.redacted === 1 || connection.statement(ANY_REDACTED).get(runId) !== undefined,
    }
  }
  const { own, steps } = readSteps(connection, runId, payloads)
  if (own?.input === undefined) return undefined
  const pending = findPending(steps)
  const hasRedactedCalls =
    pending !== undefined &&
    connection.statement(REDACTED_CALLS).get(runId, pending.index) !== undefined
  return {
    record,
    definition: snapshot,
    input: own.input,
    finished: steps.flatMap(toFinished),
    places: undefined,
    pending,
    redacted:
      hasRedactedCalls ||
      definition.redacted === 1 ||
      [own, ...steps].some(({ row }) => row.input_redacted === 1 || row.output_redacted === 1),
  }
}

/** The step that started and did not end; in a failed run the failed one. */
const findPending = (steps: readonly StepRow[]): ResumableRun['pending'] => {
  const step =
    steps.find(({ row }) => row.ended_at === null) ??
    steps.findLast(({ row }) => row.error !== null)
  if (step?.input === undefined) return undefined
  return { index: Number(step.row.idx), action: String(step.row.action), input: step.input }
}

const toFinished = ({ row, input, output }: StepRow): FinishedStep[] => {
  if (output === undefined || row.ended_at === null) return []
  return [
    {
      index: Number(row.idx),
      action: String(row.action),
      startedAt: Number(row.started_at),
      endedAt: Number(row.ended_at),
      ...(row.input === null || input === undefined ? {} : { input }),
      output,
      spend: decodeSpends(row.spend === null ? null : `[${row.spend}]`),
      isolation: stepRecord.shape.isolation.parse(row.isolation),
    },
  ]
}
