import { type RunRecord, reasonOf, StewardError } from '@steward/contract'
import {
  createWatchFolder,
  type RedactRecords,
  redactHere,
  type StartTimer,
  type WatchFolder,
} from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonModule } from '../../module.ts'
import type { Execution, Notices, ScheduledFlow } from '../../ports.ts'
import { createWebhookCollector } from './collect-webhooks.ts'
import { definitionRouteHandlers } from './definition-routes.ts'
import { doRequestedWork, listScheduledFlows } from './do-requested-work.ts'
import { flowRouteHandlers } from './flow-routes.ts'
import { createLiveRuns } from './live-runs.ts'
import { createOpenRuntime } from './open-runtime.ts'
import { runRouteHandlers } from './run-routes.ts'
import { createFolderWatcher } from './watch-flow-folders.ts'
import { watchHistory } from './watch-history.ts'
import { openWebhookInbox, type WebhookInbox } from './webhook-inbox.ts'
import { createWebhooks } from './webhooks.ts'

export interface ExecutionPorts {
  /** Opens the local runtime with the current configuration. */
  open: () => Promise<LocalRuntime>
  bus: Bus
  /** Notifies the person of a flow's end. */
  notices: Notices
  log: Log
  now: () => number
  setTimer: StartTimer
  watchFolder: (path: string, onChange: () => void) => () => void
  /** Watches the folder sources of flows. */
  watchTree?: WatchFolder
  /** How messages of queues are masked for display. */
  redactRecords?: RedactRecords
}

/**
 * How long runs may continue after the daemon is asked to stop. Runs stopped then can be resumed.
 */
const DRAIN_MS = 3000

export interface ExecutionModule extends DaemonModule {
  execution: Execution
}

/** Runs, flows, feeds and queues over HTTP, and scheduled work for the assistant. */
export const createExecutionModule = ({
  open,
  bus,
  notices,
  log,
  now,
  setTimer,
  watchFolder,
  watchTree = createWatchFolder(log.warn, { recursive: true }),
  redactRecords = redactHere,
}: ExecutionPorts): ExecutionModule => {
  const live = createLiveRuns(log)
  const stewards = createOpenRuntime(open, log)
  let inbox: WebhookInbox | undefined
  const openedInbox = (): WebhookInbox => {
    if (inbox !== undefined) return inbox
    throw new StewardError('module_failed', { module: 'execution', reason: 'it is not running' })
  }
  const webhooks = createWebhooks({
    inbox: openedInbox,
    stewards,
    live,
    notices,
    log,
    now,
    setTimer,
  })
  const collector = createWebhookCollector({
    runtime: stewards.current,
    keep: webhooks.keep,
    fetch,
    log,
    setTimer,
  })
  const history = () => stewards.current().history
  const tellPages = () => bus.publish('live.changed', { topics: ['runs'] })
  const endings: Array<() => void> = []
  let isRunning = false

  /** Other modules continue with a fallback if it cannot be read. */
  const answerOr = <T>(what: string, instead: T, read: () => T): T => {
    if (!isRunning) return instead
    try {
      return read()
    } catch (thrown) {
      log.error(`execution: ${what} cannot be listed: ${reasonOf(thrown)}`)
      return instead
    }
  }
  const execution: Execution = {
    perform: async (work, signal) => {
      if (isRunning) return doRequestedWork(work, signal, { stewards, live, notices, setTimer })
      const reason = 'no execution module is running'
      throw new StewardError('module_failed', { module: 'execution', reason })
    },
    listFlows: async () =>
      answerOr<readonly ScheduledFlow[] | undefined>('flows', undefined, () =>
        listScheduledFlows(stewards.current()),
      ),
    listRuns: async (limit) =>
      answerOr<readonly RunRecord[]>('runs', [], () => history().list({ limit, parentId: null })),
  }

  const stopping = new AbortController()
  let changes = 0
  const folders = createFolderWatcher({
    runtime: stewards.current,
    run: async (name) => {
      const key = `folder-${name}-${now()}-${changes++}`
      await execution.perform({ type: 'flow', name, key }, stopping.signal)
    },
    watchFolder: watchTree,
    log,
    setTimer,
  })

  return {
    name: 'execution',
    execution,
    handlers: [
      ...runRouteHandlers({ stewards, live, history, notices, now, setTimer, tellPages }),
      ...flowRouteHandlers({
        stewards,
        live,
        webhooks,
        notices,
        now,
        tellPages,
        redactRecords,
        fetch,
      }),
      ...definitionRouteHandlers(stewards, () =>
        bus.publish('live.changed', { topics: ['settings', 'runs'] }),
      ),
    ],
    start: async () => {
      await stewards.start()
      endings.push(
        watchHistory(stewards.current().home, watchFolder, setTimer, tellPages),
        bus.subscribe('settings.changed', () => void stewards.replace()),
      )
      inbox = openWebhookInbox(stewards.current().home)
      isRunning = true
      webhooks.start()
      collector.start()
      folders.start()
    },
    stop: async () => {
      isRunning = false
      folders.stop()
      stopping.abort()
      const quiet = Promise.all([collector.stop(), webhooks.stop()])
      for (const end of endings.splice(0)) end()
      const drained = Promise.withResolvers<void>()
      const stopTimer = setTimer(DRAIN_MS, drained.resolve)
      await live.stop(drained.promise)
      stopTimer()
      await quiet
      await inbox?.close()
      await stewards.close()
    },
    health: () => ({ status: 'ok', running: live.count() }),
  }
}
