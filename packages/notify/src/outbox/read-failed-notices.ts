import { join } from 'node:path'
import type { FailureGroup } from '@steward/contract'
import { readOther } from '@steward/platform'

const MOST_FAILURES = 5000
const MOST_GROUPS = 100

const GROUPS = `WITH failures AS (
    SELECT channel, ifnull(detail, '') AS detail, ifnull(finished_at, created_at) AS at
    FROM deliveries WHERE state = 'failed' AND created_at >= ?
    ORDER BY seq DESC LIMIT ${MOST_FAILURES})
  SELECT channel, detail, json_group_array(at) AS times FROM failures
  GROUP BY channel, detail ORDER BY count(*) DESC, max(at) DESC LIMIT ${MOST_GROUPS}`

/** Notices that did not reach a channel since then, by the same cause, the most frequent first. */
export const readFailedNotices = (directory: string, sinceMs: number): FailureGroup[] =>
  readOther(join(directory, 'outbox.sqlite'), 'deliveries', ({ prepare }) =>
    prepare(GROUPS)
      .all(sinceMs)
      .map((row) => {
        const list: unknown = JSON.parse(String(row.times))
        return {
          kind: 'notification',
          name: String(row.channel),
          within: [],
          code: null,
          cause: String(row.detail),
          timesMs: Array.isArray(list) ? list.map(Number) : [],
          runId: null,
        }
      }),
  )
