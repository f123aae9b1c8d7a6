import { join } from 'node:path'
import { type FailureGroup, isJsonObject, type JsonObject } from '@steward/contract'
import { readOther } from '@steward/platform'
import { CANCELLED } from './cancel-run.ts'

/** The newest failures that are counted; a period with more is cut at its beginning. */
const MOST_FAILURES = 5000
const MOST_GROUPS = 100
const MOST_NAMES = 5

/** One row per cause: who failed with which error code, when, and the last time in detail. */
const groupBy = (columns: string): string => `
  numbered AS (SELECT *, row_number() OVER (PARTITION BY ${columns} ORDER BY at DESC) AS place
    FROM failures)
  SELECT ${columns}, json_group_array(at) AS times,
    json_group_array(DISTINCT within) AS within,
    max(CASE place WHEN 1 THEN error END) AS error,
    max(CASE place WHEN 1 THEN run_id END) AS run_id
  FROM numbered GROUP BY ${columns} ORDER BY count(*) DESC, max(at) DESC LIMIT ${MOST_GROUPS}`

/**
 * A run counts under its failed action; a flow that fails on its own, under its name. A run that
 * failed because a run below it did is the same failure. Ids ascend with time, also while the clock is
 * set back.
 */
const RUNS = `WITH failed AS (
    SELECT id, name, error, ifnull(ended_at, started_at) AS at FROM runs
    WHERE status = 'failed' AND id >= :first_id AND ifnull(ended_at, started_at) >= :since
      AND error ->> 'code' IS NOT :cancelled
      AND NOT EXISTS (SELECT 1 FROM runs AS child
        WHERE child.parent_id = runs.id AND child.status = 'failed')
    ORDER BY id DESC LIMIT ${MOST_FAILURES}),
  failures AS (
    SELECT ifnull((SELECT action FROM steps WHERE run_id = failed.id AND idx >= 0
        AND error IS NOT NULL AND mark IS NOT 'handled' AND action NOT IN ('source', 'item')
        ORDER BY idx DESC LIMIT 1), name) AS name,
      error ->> 'code' AS code, name AS within, id AS run_id, at, error FROM failed),
  ${groupBy('name, code')}`

/** An item that was never processed failed in a run, which counts there. */
const DELIVERIES = `WITH failures AS (
    SELECT ifnull(sent.destination, item.flow) AS name, item.flow AS within,
      ifnull(sent.error, item.error) ->> 'code' AS code, item.run_id, item.changed_at AS at,
      ifnull(sent.error, item.error) AS error
    FROM flow_items AS item LEFT JOIN flow_deliveries AS sent
      ON sent.flow = item.flow AND sent.item = item.item AND sent.state <> 'delivered'
        AND sent.error IS NOT NULL
    WHERE item.state IN ('waiting', 'rejected', 'given-up') AND item.output IS NOT NULL
      AND item.changed_at >= :since AND ifnull(sent.error, item.error) IS NOT NULL
    ORDER BY item.changed_at DESC LIMIT ${MOST_FAILURES}),
  ${groupBy('name, code, within')}`

/** Failed runs and deliveries of items since then, by the same cause, the most frequent first. */
export const readFailureGroups = (directory: string, sinceMs: number): FailureGroup[] =>
  readOther(join(directory, 'history.sqlite'), 'flow_deliveries', ({ prepare }) => [
    ...prepare(RUNS)
      .all({ first_id: firstIdAt(sinceMs), since: sinceMs, cancelled: CANCELLED })
      .map((row) => toGroup('run', row)),
    ...prepare(DELIVERIES)
      .all({ since: sinceMs })
      .map((row) => toGroup('delivery', row)),
  ])

/** Not greater than the id of any run that starts then or later. */
const firstIdAt = (timeMs: number): string => {
  const time = Math.trunc(timeMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}`
}

const toGroup = (kind: FailureGroup['kind'], row: JsonObject): FailureGroup => {
  const error: unknown = JSON.parse(String(row.error))
  return {
    kind,
    name: String(row.name),
    within: parseList(row.within).map(String).slice(0, MOST_NAMES),
    code: typeof row.code === 'string' ? row.code : null,
    cause: isJsonObject(error) ? String(error.message) : '',
    timesMs: parseList(row.times).map(Number),
    runId: String(row.run_id),
  }
}

const parseList = (text: unknown): unknown[] => {
  const list: unknown = JSON.parse(String(text))
  return Array.isArray(list) ? list : []
}
