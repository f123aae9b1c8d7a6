import {
  type JsonObject,
  type RunDetail,
  type RunStatus,
  type StepLog,
  type StepRecord,
  stepRecord,
} from '@steward/contract'
import { containerOf, sortByPath, sourceOf } from '@steward/engine'
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
  const hasOutput = record.status === 'completed' || record.status === 'filtered'
  const output = hasOutput ? (own?.output ?? outputOf(lastOf(steps))) : undefined
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
  const stored = statement('SELECT * FROM steps WHERE run_id = ? ORDER BY idx').all(runId)
  if (stored.some(({ path }) => path !== null)) return readPlaces(stored, decode)
  let carried: JsonObject | undefined
  const rows = stored.map((row): StepRow => {
    const input = decode(row.input) ?? carried
    const output = decode(row.output)
    carried = row.idx === OWN_ROW ? input : output
    return { row, input, output }
  })
  const [own, ...steps] = rows
  return { own, steps }
}

/** Only the run's own input and output. */
export const readOwnRow = (
  { statement }: Connection,
  runId: string,
  payloads: Payloads,
): StepRow | undefined => {
  const row = statement('SELECT * FROM steps WHERE run_id = ? AND idx = ?').get(runId, OWN_ROW)
  if (row === undefined) return undefined
  const decode = (column: unknown): JsonObject | undefined =>
    typeof column === 'string' ? payloads.decode(column) : undefined
  return { row, input: decode(row.input), output: decode(row.output) }
}

/** Steps of a pipeline with branches, in the order of its definition. */
const readPlaces = (
  stored: readonly Row[],
  decode: (column: unknown) => JsonObject | undefined,
): { own: StepRow | undefined; steps: StepRow[] } => {
  const [first, ...rest] = stored
  const own =
    first?.idx === OWN_ROW
      ? { row: first, input: decode(first.input), output: decode(first.output) }
      : undefined
  const known = new Map<string, StepRow>()
  const sorted = sortByPath(rest.map((row) => ({ row, path: String(row.path) })))
  const steps = sorted.map(({ row, path }): StepRow => {
    const step = {
      row,
      input: decode(row.input) ?? carriedTo(path, own, known),
      output: decode(row.output),
    }
    known.set(path, step)
    return step
  })
  return { own, steps }
}

/** The output of the step before; a condition passes its input on. */
const carriedTo = (
  path: string,
  own: StepRow | undefined,
  known: ReadonlyMap<string, StepRow>,
): JsonObject | undefined => {
  const source = sourceOf(path)
  if (source === undefined) return own?.input
  const step = known.get(source)
  return source === containerOf(path) ? step?.input : outputOf(step)
}

const outputOf = (step: StepRow | undefined): JsonObject | undefined => {
  if (step === undefined || step.output !== undefined) return step?.output
  const isCondition = step.row.path !== null && step.row.error === null
  return isCondition && step.row.ended_at !== null ? step.input : undefined
}

/** The last step of the run itself, not of one of its branches. */
const lastOf = (steps: readonly StepRow[]): StepRow | undefined =>
  steps.findLast(({ row }) => row.path === null || containerOf(String(row.path)) === undefined)

const toStepRecord = (
  { row, input, output }: StepRow,
  runStatus: RunStatus,
  logs: StepLog[] | undefined,
): StepRecord =>
  stepRecord.parse({
    step: Number(row.idx) + 1,
    ...(row.path === null ? {} : { path: row.path }),
    action: row.action,
    status: stepStatus(row, runStatus),
    attempts: row.attempts,
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...timesOf(row),
    spend: decodeSpends(row.spend === null ? null : `[${row.spend}]`),
    isolation: row.isolation,
    error: errorOf(row),
    ...(row.mark === 'handled' ? { handled: true } : {}),
    ...(logs === undefined ? {} : { logs }),
  })

/** A step that never ended has the status of its run. */
const stepStatus = (row: Row, runStatus: RunStatus): RunStatus => {
  if (row.error !== null) return 'failed'
  if (row.mark === 'filtered') return 'filtered'
  if (row.ended_at !== null) return 'completed'
  return runStatus === 'running' || runStatus === 'cancelled' ? runStatus : 'interrupted'
}
