import {
  API,
  type RouteInput,
  type RunRecord,
  type RunStatus,
  type runRoutes,
} from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { cancelStoredRun, findRecord, type RunHistory, showRun } from '@steward/runner'
import { handle } from '../../module.ts'
import type { Notices } from '../../ports.ts'
import { findFailures } from './find-failures.ts'
import type { LiveRuns } from './live-runs.ts'
import { notifyRunEnded } from './notify-run-ended.ts'
import type { OpenRuntime } from './open-runtime.ts'
import { createStartRun } from './start-run.ts'
import { streamRun } from './stream-run.ts'

export interface RunRoutePorts {
  stewards: OpenRuntime
  live: LiveRuns
  history: () => RunHistory
  notices: Notices
  now: () => number
  setTimer: StartTimer
  tellPages: () => void
}

const HOUR_MS = 3_600_000

/** List, show, start, repeat, continue, watch and cancel runs. */
export const runRouteHandlers = (ports: RunRoutePorts) => {
  const { stewards, live, history, notices, setTimer, tellPages } = ports
  const startRun = createStartRun({ stewards, live, notices, setTimer })
  return [
    handle(API.listRuns, ({ query }) => listRuns(history(), query, ports.now())),
    handle(API.listFailures, ({ query }) => ({
      failures: findFailures(history(), ports.now() - query.hours * HOUR_MS),
    })),
    handle(API.getRun, ({ params }) => showRun(history(), params.id)),
    handle(API.streamRun, ({ params }, call) =>
      streamRun(findRecord(history(), params.id).id, call, {
        history,
        live,
        setTimer,
        redact: (value) => stewards.current().redactor.redact(value).value,
      }),
    ),
    handle(API.startRun, (input, { signal }) => startRun(input, signal)),
    handle(API.rerunRun, async ({ params, body }) => {
      const { id } = findRecord(history(), params.id)
      const { from, definition } = body
      const started = await live.start((watching) =>
        stewards.use(({ runner }) => runner.rerun(id, String(from), { ...watching, definition })),
      )
      return { id: started.id }
    }),
    handle(API.cancelRun, async ({ params }) => {
      const run = await cancelRun(params.id, ports)
      tellPages()
      return run
    }),
    handle(API.resumeRun, async ({ params }) => {
      const { id, primitive } = findRecord(history(), params.id)
      const started = await live.start((watching) =>
        stewards.use<{ runId: string }>(({ runner, flows, ...steward }) =>
          primitive === 'flow'
            ? flows.resume(id, { ...watching, onEnding: notifyRunEnded(steward, notices) })
            : runner.resume(id, watching),
        ),
      )
      return { id: started.id }
    }),
  ]
}

/**
 * Stops a run of this daemon with its processes; a run without a process is only marked as
 * cancelled.
 */
const cancelRun = async (
  reference: string,
  { history, live, now }: RunRoutePorts,
): Promise<{ id: string; status: RunStatus }> => {
  const { id, parentId } = findRecord(history(), reference)
  if (parentId === null) await live.cancel(id)
  return cancelStoredRun(history(), id, now())
}

type Query = RouteInput<typeof runRoutes.listRuns>['query']

/** One page; pass `next` as `before` to get the next one. */
const listRuns = (
  history: RunHistory,
  { limit, before, name, status, primitive, all, q, hours, sort }: Query,
  nowMs: number,
): { runs: RunRecord[]; next: string | null } => {
  const isByTime = sort === 'newest'
  const offset = isByTime ? 0 : Math.max(0, Number.parseInt(before ?? '0', 10) || 0)
  const found = history.list({
    limit: limit + 1,
    order: sort,
    ...(isByTime ? {} : { offset }),
    ...(all ? {} : { parentId: null }),
    ...(before === undefined || !isByTime ? {} : { before }),
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(primitive === undefined ? {} : { primitive }),
    ...(q === undefined || q.trim() === '' ? {} : { text: q.trim() }),
    ...(hours === undefined ? {} : { since: nowMs - hours * HOUR_MS }),
  })
  const runs = found.slice(0, limit)
  if (found.length <= limit) return { runs, next: null }
  return { runs, next: isByTime ? (runs.at(-1)?.id ?? null) : String(offset + limit) }
}
