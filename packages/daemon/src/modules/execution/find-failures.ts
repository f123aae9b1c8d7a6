import type { RunFailure, RunRecord } from '@steward/contract'
import type { RunFilter, RunHistory } from '@steward/runner'

const PAGE = 200
/** More failures than a person looks at; older ones are left out. */
const MOST_RUNS = 2000

type Runs = Pick<RunHistory, 'list'>

/** What failed since then and did not succeed afterwards, the last failure first. */
export const findFailures = (history: Runs, sinceMs: number): RunFailure[] => {
  const failed = (['failed', 'interrupted'] as const).flatMap((status) => [
    ...runsSince(history, sinceMs, { status }),
  ])
  return [...new Set(failed.map(({ name }) => name))]
    .flatMap((name) => findFailure(runsSince(history, sinceMs, { name })))
    .toSorted((one, other) => (one.run.id < other.run.id ? 1 : -1))
}

/** The failures of runs of one name since the last success. */
const findFailure = (runs: Iterable<RunRecord>): RunFailure[] => {
  const repeated = new Set<string>()
  let found: RunFailure | undefined
  for (const run of runs) {
    const { status, startedAt, rerunOf } = run
    if (status === 'completed' || status === 'filtered') break
    // A repeated run stands for the one that it repeats.
    if (rerunOf !== null) repeated.add(rerunOf.id)
    const isFailed = status === 'failed' || status === 'interrupted'
    if (!isFailed || repeated.has(run.id)) continue
    found = { run: found?.run ?? run, count: (found?.count ?? 0) + 1, since: startedAt }
  }
  return found === undefined ? [] : [found]
}

/** Newest first. */
function* runsSince(
  history: Runs,
  sinceMs: number,
  filter: Pick<RunFilter, 'name' | 'status'>,
): Generator<RunRecord> {
  let before: string | undefined
  for (let count = 0; count < MOST_RUNS; count += PAGE) {
    const page = history.list({
      limit: PAGE,
      parentId: null,
      ...filter,
      ...(before === undefined ? {} : { before }),
    })
    for (const run of page) {
      if (Date.parse(run.startedAt) < sinceMs) return
      yield run
    }
    before = page.at(-1)?.id
    if (page.length < PAGE) return
  }
}
