import type { UsageSum } from '@steward/contract'
import type { Row } from '@steward/platform'

/** Billionths of a dollar. */
export const NANO = 1_000_000_000

/** The offset of every time zone is a multiple of it, so that days and hours consist of whole ones. */
export const QUARTER_MS = 900_000

/** Calls from a time on, of the view `calls`. Contexts without any are not looked at. */
export const isSince = (value: string): string => {
  const quarter = `CAST(${value} / ${QUARTER_MS} AS INTEGER)`
  return `last_quarter >= ${quarter} AND quarter >= ${quarter} AND at_ms >= ${value}`
}

/** Columns of a group of parts, as `toSum` reads them. */
export const PART_SUMS = `coalesce(sum(part_input), 0) AS input,
  coalesce(sum(part_output), 0) AS output, coalesce(sum(part_read), 0) AS cache_read,
  coalesce(sum(part_write), 0) AS cache_write, coalesce(sum(part_reported), 0) AS reported,
  coalesce(sum(part_computed), 0) AS computed, coalesce(sum(part_unpriced), 0) AS unpriced,
  coalesce(sum(part_calls), 0) AS calls, max(part_last_ms) AS last_ms,
  count(DISTINCT assistant || ' ' || session) AS sessions`

/** Columns of a group of calls, as `toSum` reads them. */
export const SUMS = `coalesce(sum(input), 0) AS input, coalesce(sum(output), 0) AS output,
  coalesce(sum(cache_read), 0) AS cache_read,
  coalesce(sum(cache_write_5m + cache_write_1h), 0) AS cache_write,
  coalesce(sum(reported_nano), 0) AS reported,
  coalesce(sum(CASE WHEN reported_nano IS NULL THEN computed_nano END), 0) AS computed,
  count(*) FILTER (WHERE reported_nano IS NULL AND computed_nano IS NULL) AS unpriced,
  count(*) AS calls, max(at_ms) AS last_ms, count(DISTINCT assistant || ' ' || session) AS sessions`

export const toSum = (row: Row): UsageSum => {
  const reported = Number(row.reported ?? 0) / NANO
  const computed = Number(row.computed ?? 0) / NANO
  const unpriced = Number(row.unpriced ?? 0)
  return {
    input_tokens: Number(row.input ?? 0),
    output_tokens: Number(row.output ?? 0),
    cache_read_tokens: Number(row.cache_read ?? 0),
    cache_write_tokens: Number(row.cache_write ?? 0),
    cost_usd: unpriced > 0 ? null : reported + computed,
    reported_usd: reported,
    computed_usd: computed,
    unpriced_calls: unpriced,
    calls: Number(row.calls ?? 0),
    sessions: Number(row.sessions ?? 0),
  }
}

/** A folder with everything below it, or a part of the path. */
export const projectIs = (value: string, project: string | undefined): string =>
  project?.startsWith('/')
    ? `instr(project || '/', rtrim(${value}, '/') || '/') = 1`
    : `instr(project, ${value}) > 0`
