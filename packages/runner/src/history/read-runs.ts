import {
  type RunOrder,
  type RunRecord,
  type RunStatus,
  recordedError,
  runRecord,
} from '@steward/contract'
import type { Connection, Row } from '@steward/platform'
import { CANCELLED } from './cancel-run.ts'
import type { RunFilter } from './history.ts'
import type { Owners } from './owners.ts'
import { decodeSpends, readSpend } from './spend.ts'

export type LeftOwners = ReadonlySet<string>

/** Totals are stored when a run ends; until then they are summed up from its steps. */
const COLUMNS = `id, primitive, name, status, owner, version, definition, parent_id, rerun_of,
  rerun_from, idempotency_key, started_at, ended_at, error, filtered,
  CASE status WHEN 'running' THEN (SELECT count(*) FROM steps WHERE run_id = id AND idx >= 0)
    ELSE step_count END AS step_count,
  CASE status WHEN 'running' THEN (SELECT '[' || group_concat(spend) || ']' FROM steps WHERE run_id = id)
    ELSE '[' || spend || ']' END AS spends`

const PAGE = 50
const LARGEST_PAGE = 1000

export const readRun = (
  connection: Connection,
  id: string,
  left: LeftOwners,
): RunRecord | undefined => {
  const row = connection.statement(`SELECT ${COLUMNS} FROM runs WHERE id = ?`).get(id)
  return row === undefined ? undefined : toRecord(connection, row, left)
}

/** The cost of a run and of the runs that it started. */
const COST = `(SELECT total(cost) FROM model_calls
  WHERE run_id = runs.id OR run_id IN (SELECT id FROM runs child WHERE child.parent_id = runs.id))`
const ORDERS: Readonly<Record<RunOrder, string>> = {
  newest: 'id DESC',
  oldest: 'id',
  longest: 'ended_at - started_at DESC, id DESC',
  dearest: `${COST} DESC, id DESC`,
  name: 'name, id DESC',
}

/** Ids ascend with time. Each filter uses an index in that order. */
export const listRuns = (
  connection: Connection,
  filter: RunFilter,
  left: LeftOwners,
): RunRecord[] => {
  const conditions: string[] = []
  const values: (string | number)[] = []
  const keep = (condition: string, ...bound: (string | undefined)[]): void => {
    const given = bound.filter((value) => value !== undefined)
    if (given.length < bound.length) return
    conditions.push(condition)
    values.push(...given)
  }
  keep('name = ?', filter.name)
  if (filter.parentId === null) keep('parent_id IS NULL')
  else keep('parent_id = ?', filter.parentId)
  // The literals let SQLite prove that a partial index covers the query.
  if (filter.primitive === 'flow') keep("primitive = 'flow'")
  else keep('primitive = ?', filter.primitive)
  if (filter.status !== undefined) requireStatus(filter.status, left, keep)
  keep('id < ?', filter.before)
  if (filter.text !== undefined) {
    conditions.push("instr(lower(name || ' ' || id || ' ' || ifnull(error, '')), lower(?)) > 0")
    values.push(filter.text)
  }
  if (filter.since !== undefined) {
    conditions.push('started_at >= ?')
    values.push(filter.since)
  }
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  const limit = Math.min(filter.limit ?? PAGE, LARGEST_PAGE)
  return connection
    .statement(
      `SELECT ${COLUMNS} FROM runs ${where} ORDER BY ${ORDERS[filter.order ?? 'newest']} LIMIT ? OFFSET ?`,
    )
    .all(...values, limit, filter.offset ?? 0)
    .map((row) => toRecord(connection, row, left))
}

const requireStatus = (
  status: RunStatus,
  left: LeftOwners,
  keep: (condition: string, ...bound: string[]) => void,
): void => {
  if (status === 'completed') {
    keep("status = 'completed' AND filtered IS NULL")
    return
  }
  if (status === 'filtered') {
    keep("status = 'completed' AND filtered IS NOT NULL")
    return
  }
  if (status === 'failed' || status === 'cancelled') {
    const is = status === 'cancelled' ? 'IS' : 'IS NOT'
    keep(`status = 'failed' AND error ->> 'code' ${is} ?`, CANCELLED)
    return
  }
  const not = status === 'running' ? 'NOT ' : ''
  keep(
    `status = 'running' AND owner ${not}IN (SELECT value FROM json_each(?))`,
    JSON.stringify([...left]),
  )
}

/**
 * The dead owners of unfinished runs. Must be found before the snapshot in which the runs are read
 * starts: only then can they have finished nothing that the snapshot does not show.
 */
export const findLeftOwners = ({ statement }: Connection, owners: Owners): LeftOwners =>
  new Set(
    statement("SELECT DISTINCT owner FROM runs WHERE status = 'running'")
      .all()
      .map((row) => String(row.owner))
      .filter((owner) => !owners.isAlive(owner)),
  )

const toRecord = (connection: Connection, row: Row, left: LeftOwners): RunRecord =>
  runRecord.parse({
    id: row.id,
    primitive: row.primitive,
    name: row.name,
    status: statusOf(row, left),
    definition: { version: row.version, hash: row.definition },
    parentId: row.parent_id,
    rerunOf:
      row.rerun_of === null ? null : { id: row.rerun_of, fromStep: Number(row.rerun_from) + 1 },
    idempotencyKey: row.idempotency_key,
    ...timesOf(row),
    stepCount: row.step_count,
    // A flow calls no model itself; its cost is that of its children.
    spend:
      row.primitive === 'flow'
        ? readSpend(connection, { runId: String(row.id) })
        : decodeSpends(row.spends),
    error: errorOf(row),
  })

/**
 * Three statuses are derived: a run is interrupted if its owner is dead, cancelled by its error, and
 * filtered by the condition that ended it.
 */
const statusOf = (row: Row, left: LeftOwners): unknown => {
  if (row.status === 'completed' && row.filtered !== null) return 'filtered'
  if (row.status === 'running' && left.has(String(row.owner))) return 'interrupted'
  return row.status === 'failed' && errorOf(row)?.code === CANCELLED ? 'cancelled' : row.status
}

export const timesOf = ({ started_at, ended_at }: Row) => ({
  startedAt: toIso(started_at),
  endedAt: ended_at === null ? null : toIso(ended_at),
  // A clock that was set back must not make a record invalid.
  durationMs: ended_at === null ? null : Math.max(0, Number(ended_at) - Number(started_at)),
})

export const errorOf = ({ error }: Row) =>
  typeof error === 'string' ? recordedError.parse(JSON.parse(error)) : null

const toIso = (timeMs: unknown): string => new Date(Number(timeMs)).toISOString()
