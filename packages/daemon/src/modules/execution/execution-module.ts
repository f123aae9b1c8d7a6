import {
  API,
  type FeedRecord,
  type FeedStatus,
  type FeedSubscription,
  type RouteInput,
  type RunRecord,
  type RunStatus,
  reasonOf,
  type runRoutes,
  StewardError,
} from '@steward/contract'
import { feedHealthOf } from '@steward/engine'
import {
  createWatchFolder,
  type RedactRecords,
  redactHere,
  type StartTimer,
  type WatchFolder,
} from '@steward/platform'
import {
  cancelStoredRun,
  type Feeds,
  findRecord,
  type LocalRuntime,
  type RunHistory,
  showRun,
} from '@steward/runner'
import type { Bus } from '../../bus/bus.ts'
import type { Log } from '../../log/log.ts'
import { type DaemonModule, handle } from '../../module.ts'
import type { Execution, Notices, ScheduledFlow } from '../../ports.ts'
import { createWebhookCollector } from './collect-webhooks.ts'
import { describeCatalog } from './describe-catalog.ts'
import { doRequestedWork, listScheduledFlows } from './do-requested-work.ts'
import { listQueues, retryDeadLetters } from './list-queues.ts'
import { createLiveRuns, type LiveRuns } from './live-runs.ts'
import { notifyRunEnded } from './notify-run-ended.ts'
import { createOpenRuntime } from './open-runtime.ts'
import { readFlowStates } from './read-flow-states.ts'
import { createStartRun } from './start-run.ts'
import { streamRun } from './stream-run.ts'
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

/** Runs over HTTP: list, show, start, repeat, continue, watch, cancel. */
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
  const startRun = createStartRun({ stewards, live, notices, setTimer })
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
  const flowEntries = () =>
    stewards
      .current()
      .catalog.flows.all()
      .map(({ flow }) => flow)
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
      handle(API.listRuns, ({ query }) => listRuns(history(), query)),
      handle(API.getRun, ({ params }) => showRun(history(), params.id)),
      handle(API.streamRun, ({ params }, call) =>
        streamRun(findRecord(history(), params.id).id, call, {
          history,
          live,
          setTimer,
          redact: (value) => stewards.current().redactor.redact(value).value,
        }),
      ),
      handle(API.listPrimitives, () => {
        const { catalog, redactor } = stewards.current()
        return describeCatalog(catalog, (text) => redactor.redactText(text).value)
      }),
      handle(API.getFlowStates, ({ query }) =>
        readFlowStates(stewards.current(), query.days, now()),
      ),
      handle(API.receiveWebhook, async ({ params, body }, { header }) => {
        const answer = await webhooks.receive(params.flow, { body: bytesIn(body), header })
        return 'challenge' in answer
          ? Response.json(answer, { status: 200 })
          : { success: true as const, ...answer }
      }),
      handle(API.getDelivery, ({ params }) => {
        const { flow, id, received_ms, state, run, detail } = webhooks.find(params.flow, params.id)
        return { flow, id, receivedAt: new Date(received_ms).toISOString(), state, run, detail }
      }),
      handle(API.listFlowItems, async ({ params, query }) => {
        const { flows, redactor } = stewards.current()
        const hide = (text: string | null) =>
          text === null ? null : redactor.redactText(text).value
        const items = await flows.items(params.flow, query)
        return {
          items: items.map((item) => ({
            ...item,
            title: hide(item.title),
            error: hide(item.error),
          })),
        }
      }),
      handle(API.retryFlowItems, async ({ params, body }) => {
        const { id } = await live.start((watching) =>
          stewards.use(({ flows, ...steward }) =>
            flows.retry(params.flow, body, {
              ...watching,
              onEnding: notifyRunEnded(steward, notices),
            }),
          ),
        )
        return { id }
      }),
      handle(API.listFeeds, () => listFeeds(stewards.current().feeds)),
      handle(API.listQueues, () => {
        const { feeds, redactor } = stewards.current()
        return listQueues(flowEntries(), feeds.inventory(), (bodies) =>
          redactRecords(bodies, redactor),
        )
      }),
      handle(API.retryDeadLetters, async ({ params }) => {
        const inventory = stewards.current().feeds.inventory()
        const moved = await retryDeadLetters(params.queue, flowEntries(), inventory)
        tellPages()
        return moved
      }),
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
        const run = await cancelRun(params.id, { history, live, now })
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
    ],
    start: async () => {
      await stewards.start()
      endings.push(
        watchHistory(stewards.current().home, watchFolder, tellPages),
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

const bytesIn = (body: unknown): Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array ? Uint8Array.from(body) : new Uint8Array()

interface Ports {
  history: () => RunHistory
  live: LiveRuns
  now: () => number
}

/**
 * Stops a run of this daemon with its processes; a run without a process is only marked as
 * cancelled.
 */
const cancelRun = async (
  reference: string,
  { history, live, now }: Ports,
): Promise<{ id: string; status: RunStatus }> => {
  const { id, parentId } = findRecord(history(), reference)
  if (parentId === null) await live.cancel(id)
  return cancelStoredRun(history(), id, now())
}

/** The subscribed feeds, those with problems first. */
const listFeeds = async (
  feeds: Pick<Feeds, 'file' | 'database'>,
): Promise<{ feeds: FeedStatus[] }> => {
  const followed = await feeds.file.read()
  // Opening the database would create it, and a read should not.
  if (followed.length === 0) return { feeds: [] }
  const known = feeds.database().records()
  const records = new Map(known.map((record) => [record.url, record]))
  const statuses = followed.map((feed) => toStatus(feed, records.get(feed.url)))
  return { feeds: statuses.toSorted((one, other) => rankOf(one) - rankOf(other)) }
}

const RANKS = ['skipped', 'failing', 'unchecked', 'ok', 'off']
const rankOf = ({ health }: FeedStatus): number => RANKS.indexOf(health)

const toStatus = (feed: FeedSubscription, record: FeedRecord | undefined): FeedStatus => ({
  url: feed.url,
  title: feed.title ?? record?.title ?? null,
  health: feedHealthOf(feed, record),
  errorClass: record?.last_class ?? null,
  errorCount: record?.error_count ?? 0,
  lastError: record?.last_error ?? null,
  lastSuccessAt: record?.last_success_at ?? null,
  nextCheckAt: record?.next_check_at ?? null,
  tier: record?.last_tier ?? null,
})

type Query = RouteInput<typeof runRoutes.listRuns>['query']

/** One page; pass `next` as `before` to get the next one. */
const listRuns = (
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
