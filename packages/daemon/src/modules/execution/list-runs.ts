import type { RouteInput, RunRecord, runRoutes } from '@steward/contract'
import type { RunHistory } from '@steward/runner'

type Query = RouteInput<typeof runRoutes.listRuns>['query']

/** One page; `next` goes into `before` for the page after it. */
export const listRuns = (
  history: RunHistory,
  { limit, before, name, status, primitive, all }: Query,
): { runs: RunRecord[]; next: string | null } => {
  const found = history.list({
    limit: limit + 1,
    ...(all ? {} : { parentId: null }),
    ...(before === undefined ? {} : { before }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(primitive === undefined ? {} : { primitive }),
  })
  const runs = found.slice(0, limit)
  return { runs, next: found.length > limit ? (runs.at(-1)?.id ?? null) : null }
}
