import {
  type JsonObject,
  type RunDetail,
  type RunStatus,
  type StepLog,
  type StepRecord,
  stepRecord,
} from '@steward/contract'
import type { Connection, Row } from '@steward/platform'
import { OWN_ROW } from './begin-run.ts'
import type { Payloads } from './payloads.ts'
import { errorOf, type LeftOwners, listRuns, readRun, timesOf } from './read-runs.ts'
import { decodeSpends } from './spend.ts'
import { readLogs } from './step-logs.ts'

/** A step's row with its payloads; its input may be stored as the previous output. */
export interface StepRow {
  row: Row
  input: JsonObject | undefined
  output: JsonObject | undefined
}

const CHILDREN = 1000

export const readDetail = (
  connection: Connection,
  runId: string,
  left: LeftOwners,
  payloads: Payloads,
): RunDetail | undefined => {
  const record = readRun(connection, runId, left)
  if (record === undefined) return undefined
  const { own, steps } = readSteps(connection, runId, payloads)
  const logs = readLogs(connection, runId)
  const output = record.status === 'completed' ? (own?.output ?? steps.at(-1)?.output) : undefined
  return {
    ...record,
    ...(own?.input === undefined ? {} : { input: own.input }),
    ...(output === undefined ? {} : { output }),
    steps: steps.map((step) => toStepRecord(step, record.status, logs.get(Number(step.row.idx)))),
    children: listRuns(connection, { parentId: runId, limit: CHILDREN }, left).reverse(),
  }
}

export const readSteps = (
  { statement }: Connection,
  runId: string,
  payloads: Payloads,
): { own: StepRow | undefined; steps: StepRow[] } => {
  const decode = (column: unknown): JsonObject | undefined =>
    typeof column === 'string' ? payloads.decode(column) : undefined
  let carried: JsonObject | undefined
  const rows = statement('SELECT * FROM steps WHERE run_id = ? ORDER BY idx')
    .all(runId)
    .map((row): StepRow => {
      const input = decode(row.input) ?? carried
      const output = decode(row.output)
      carried = row.idx === OWN_ROW ? input : output
      return { row, input, output }
    })
  const [own, ...steps] = rows
  return { own, steps }
}

const toStepRecord = (
  { row, input, output }: StepRow,
  runStatus: RunStatus,
  logs: StepLog[] | undefined,
): StepRecord =>
  stepRecord.parse({
    step: Number(row.idx) + 1,
    action: row.action,
    status: stepStatus(row, runStatus),
    attempts: row.attempts,
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...timesOf(row),
    spend: decodeSpends(row.spend === null ? null : `[${row.spend}]`),
    isolation: row.isolation,
    error: errorOf(row),
    ...(logs === undefined ? {} : { logs }),
  })

/** A step that never ended has the status of its run. */
const stepStatus = (row: Row, runStatus: RunStatus): RunStatus => {
  if (row.error !== null) return 'failed'
  if (row.ended_at !== null) return 'completed'
  return runStatus === 'running' || runStatus === 'cancelled' ? runStatus : 'interrupted'
}
