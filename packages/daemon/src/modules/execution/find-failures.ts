import type { RunFailure, RunRecord } from '@steward/contract'
import type { RunHistory } from '@steward/runner'

const PAGE = 200
/** More runs than a person has in a day; older ones are not looked at. */
const MOST_RUNS = 2000

/** What failed since then and did not succeed afterwards, the last failure first. */
export const findFailures = (history: Pick<RunHistory, 'list'>, sinceMs: number): RunFailure[] => {
  const found = new Map<string, RunFailure>()
  const settled = new Set<string>()
  for (const run of runsSince(history, sinceMs)) {
    const { name, status, startedAt, rerunOf } = run
    if (status === 'completed' || status === 'filtered') settled.add(name)
    // A repeated run stands for the one that it repeats.
    if (rerunOf !== null) settled.add(rerunOf.id)
    const isFailed = status === 'failed' || status === 'interrupted'
    if (!isFailed || settled.has(name) || settled.has(run.id)) continue
    const { run: last = run, count = 0 } = found.get(name) ?? {}
    found.set(name, { run: last, count: count + 1, since: startedAt })
  }
  return [...found.values()]
}

/** Newest first. */
function* runsSince(history: Pick<RunHistory, 'list'>, sinceMs: number): Generator<RunRecord> {
  let before: string | undefined
  for (let count = 0; count < MOST_RUNS; count += PAGE) {
    const page = history.list({
      limit: PAGE,
      parentId: null,
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
