import { type DailySpend, dailySpend } from '@steward/contract'
import type { Connection } from '@steward/platform'

const DAY_MS = 86_400_000

const BY_DAY = `
  SELECT CAST(at / ${DAY_MS} AS INTEGER) AS day, flow, count(*) AS calls,
    sum(input_tokens) AS inputTokens, sum(output_tokens) AS outputTokens,
    CASE WHEN count(*) = count(cost) THEN total(cost) END AS cost,
    json_group_array(DISTINCT model) AS models
  FROM model_calls WHERE at >= ? GROUP BY 1, 2 ORDER BY 1, 2`

/** Days are in UTC, as budgets are. */
export const readDailySpend = ({ statement }: Connection, since: number): DailySpend[] =>
  statement(BY_DAY)
    .all(since)
    .map((row) =>
      dailySpend.parse({
        ...row,
        day: new Date(Number(row.day) * DAY_MS).toISOString().slice(0, 10),
        models: JSON.parse(String(row.models)).toSorted(),
      }),
    )
