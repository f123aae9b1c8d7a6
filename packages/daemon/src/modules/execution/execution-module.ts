import { API, primitiveOf } from '@steward/contract'
import { findRun, type Steward } from '@steward/local'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'
import { describeCatalog } from './describe-catalog.ts'
import { listRuns } from './list-runs.ts'
import { createLiveRuns } from './live-runs.ts'
import { createOpenSteward } from './open-steward.ts'
import { streamRun } from './stream-run.ts'
import { tellOfRun } from './tell-of-run.ts'

export interface ExecutionPorts {
  /** Opens the local Steward with what is configured at that moment. */
  open: () => Promise<Steward>
  bus: Bus
  log: Log
  setTimer: (delayMs: number, action: () => void) => () => void
}

/** How long runs may go on after the daemon was asked to stop. What is cut then can be resumed. */
const DRAIN_MS = 3000

/** Runs over HTTP: list, look, start, repeat, continue, watch. */
export const createExecutionModule = ({
  open,
  bus,
  log,
  setTimer,
}: ExecutionPorts): DaemonModule => {
  const live = createLiveRuns(log)
  const stewards = createOpenSteward(open, log)
  const history = () => stewards.current().history
  const endings: Array<() => void> = []

  return {
    name: 'execution',
    handlers: [
      handle(API.listRuns, ({ query }) => listRuns(history(), query)),
      handle(API.getRun, ({ params }) => findRun(history(), params.id)),
      handle(API.streamRun, ({ params }, call) =>
        streamRun(findRun(history(), params.id).id, call, { history, live, setTimer }),
      ),
      handle(API.listPrimitives, () => describeCatalog(stewards.current().catalog)),
      handle(API.startRun, async ({ body }) => {
        const { name, input, idempotencyKey } = body
        const keyed = idempotencyKey === undefined ? {} : { idempotencyKey }
        const id = await live.start((watching) =>
          stewards.use<{ runId: string }>(({ runner, flows, ...steward }) =>
            primitiveOf(name) === 'flow'
              ? flows.trigger(name, { ...watching, onEnding: tellOfRun(steward, bus) })
              : runner.run(name, input, { ...watching, ...keyed }),
          ),
        )
        return { id }
      }),
      handle(API.rerunRun, async ({ params, body }) => {
        const { id } = findRun(history(), params.id)
        const options = { definition: 'current' } as const
        const started = await live.start((watching) =>
          // Records and callers count steps from 1, the runner from 0.
          stewards.use(({ runner }) =>
            runner.rerun(id, body.from - 1, { ...watching, ...options }),
          ),
        )
        return { id: started }
      }),
      handle(API.resumeRun, async ({ params }) => {
        const { id, primitive } = findRun(history(), params.id)
        const started = await live.start((watching) =>
          stewards.use<{ runId: string }>(({ runner, flows, ...steward }) =>
            primitive === 'flow'
              ? flows.resume(id, { ...watching, onEnding: tellOfRun(steward, bus) })
              : runner.resume(id, watching),
          ),
        )
        return { id: started }
      }),
    ],
    start: async () => {
      await stewards.start()
      endings.push(
        bus.subscribe('settings.changed', () => void stewards.replace()),
        bus.subscribe('runs.requested', ({ limit, take }) =>
          take(history().list({ limit, parentId: null })),
        ),
      )
    },
    stop: async () => {
      for (const end of endings.splice(0)) end()
      const drained = Promise.withResolvers<void>()
      const stopTimer = setTimer(DRAIN_MS, drained.resolve)
      await live.stop(drained.promise)
      stopTimer()
      await stewards.close()
    },
    health: () => ({ status: 'ok', running: live.count() }),
  }
}
