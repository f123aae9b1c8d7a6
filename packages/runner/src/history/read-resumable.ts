import { stepRecord } from '@steward/contract'
import type { Connection } from '@steward/platform'
import type { FinishedStep, ResumableRun } from './history.ts'
import type { Payloads } from './payloads.ts'
import { readSteps, type StepRow } from './read-detail.ts'
import { type LeftOwners, readRun } from './read-runs.ts'
import { decodeSpends } from './spend.ts'

const REDACTED_CALLS =
  'SELECT 1 FROM model_calls WHERE run_id = ? AND step = ? AND redacted = 1 LIMIT 1'

export const readResumable = (
  connection: Connection,
  runId: string,
  left: LeftOwners,
  payloads: Payloads,
): ResumableRun | undefined => {
  const record = readRun(connection, runId, left)
  if (record === undefined) return undefined
  const { own, steps } = readSteps(connection, runId, payloads)
  const definition = connection
    .statement('SELECT body, redacted FROM definitions WHERE hash = ?')
    .get(record.definition.hash)
  if (own?.input === undefined || definition === undefined) return undefined
  const pending = findPending(steps)
  const hasRedactedCalls =
    pending !== undefined &&
    connection.statement(REDACTED_CALLS).get(runId, pending.index) !== undefined
  return {
    record,
    definition: { ...record.definition, body: payloads.decode(String(definition.body)) },
    input: own.input,
    finished: steps.flatMap(toFinished),
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
