import { type Spend, spend } from '@steward/contract'
import { NO_SPEND, sumSpend } from '@steward/engine'
import type { Connection } from '@steward/platform'
import type { SpendFilter } from './history.ts'

/** Most steps call no model and store nothing. */
export const encodeSpend = (value: Spend): string | null =>
  value.calls === 0 ? null : JSON.stringify(value)

/** Reads a JSON array of stored spends. */
export const decodeSpends = (column: unknown): Spend =>
  typeof column === 'string' ? sumSpend(spend.array().parse(JSON.parse(column))) : NO_SPEND

const SUMS = `
  SELECT count(*) AS calls, ifnull(sum(input_tokens), 0) AS inputTokens,
    ifnull(sum(output_tokens), 0) AS outputTokens,
    CASE WHEN count(*) = count(cost) THEN total(cost) END AS cost,
    json_group_array(DISTINCT model) AS models
  FROM model_calls`

/** A run's calls are its own and those of its children. */
const OF_RUN = `run_id IN (
  WITH RECURSIVE tree (id) AS (
    SELECT ? UNION ALL SELECT runs.id FROM runs JOIN tree ON runs.parent_id = tree.id
  ) SELECT id FROM tree)`

/** The sum of the recorded model calls; every filter has a covering index. */
export const readSpend = ({ statement }: Connection, filter: SpendFilter): Spend => {
  const conditions: string[] = []
  const values: (string | number)[] = []
  const keep = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return
    conditions.push(condition)
    values.push(value)
  }
  keep('flow = ?', filter.flow)
  keep('at >= ?', filter.since)
  keep(OF_RUN, filter.runId)
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
  const row = statement(SUMS + where).get(...values)
  return spend.parse({ ...row, models: JSON.parse(String(row?.models)).toSorted() })
}
