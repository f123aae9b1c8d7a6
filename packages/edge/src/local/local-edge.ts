import { reasonOf, StewardError, VERSION_VARIABLE } from '@steward/contract'
import { assignPorts, type PortMemory } from './assign-ports.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Exchange, type Front, forward, openFreeFront } from './front.ts'
import type { Host } from './host.ts'
import type { HostPorts } from './host-options.ts'
import { createHostSwitch } from './host-switch.ts'
import { createQueueBroker, type Delivered, type QueueConsumer } from './queue-broker.ts'
import type { QueueStore } from './queue-store.ts'
import type { SandboxRunner } from './sandbox-worker.ts'
import { createSandboxWorkers } from './sandbox-workers.ts'
import { createScheduler, type Fired, type Schedule } from './scheduler.ts'
import { startBest } from './start-host.ts'
import { createWorkCount } from './work-count.ts'
import {
  isApart,
  isSameDirectory,
  isSameHost,
  readWorkerDirectories,
  type WorkerDirectory,
} from './worker-directory.ts'
import { prepareWorkerd } from './workerd-launcher.ts'
import { createWorkerdRunner, keepLoadable } from './workerd-runner.ts'

export interface LocalEdgeOptions {
  /** Worker directories, as created by `steward edge build`. */
  workersFolder: string
  /** The folder of KV, D1, R2 and the state of the running edge. */
  stateFolder: string
  basePort: number
  /** AUTH_TOKEN and everything that workers may declare by name. */
  environment: Readonly<Record<string, string>>
  /** Additional variables for every worker. */
  vars: Readonly<Record<string, string>>
  /** The clock of crons and queues. */
  clock: Clock
  /** `clock` is virtual, so flows must use it too. */
  isVirtual: boolean
  /** How long workers in their own process may take to load, if not the usual time. */
  loadMs?: number
}

export interface LocalEdgePorts {
  queueStore: QueueStore
  sandboxRunner: SandboxRunner
  ports: {
    read: () => Promise<PortMemory | undefined>
    write: (memory: PortMemory) => Promise<void>
  }
  /** A line logged by a worker. */
  log: (level: string, message: string) => void
  warn: (message: string) => void
  /** The workers are gone and cannot be restarted. */
  onLost: (error: StewardError) => void
  onFired: (fired: Fired) => void
  onDelivered: (delivered: Delivered) => void
}

export interface WorkerAddress {
  name: string
  worker: string
  url: string
}

/** Every worker on real workerd, on loopback, each at its own address. */
export interface LocalEdge {
  addresses(): WorkerAddress[]
  /** Reads the worker directories again; returns the workers whose code changed. */
  reload(): Promise<string[]>
  /** Checks the queues again: another process may have added messages. */
  wake(): void
  /** Resolves when no cron handler and no queue batch is running. */
  settle(): Promise<void>
  /** Waits a while for work in progress, then ends everything. */
  stop(): Promise<void>
}

const DRAIN_MS = 3000
const RESTARTS = 3
/** A person at a terminal would not wait longer; crons and batches may. */
const REQUEST_PATIENCE_MS = 30_000

export const startLocalEdge = async (
  options: LocalEdgeOptions,
  ports: LocalEdgePorts,
): Promise<LocalEdge> => {
  const { environment, clock, workersFolder, stateFolder } = options
  const { warn } = ports
  const fronts = new Map<string, Front>()
  const switcher = createHostSwitch(systemClock, warn)
  const runnerOf = (directory: WorkerDirectory): SandboxRunner =>
    directory.tier === 'sandbox' ? ports.sandboxRunner : createWorkerdRunner(directory, apartPorts)
  const sandboxes = createSandboxWorkers(environment, runnerOf, systemClock)
  /** The directories at the last read, and those that are running. */
  let read: readonly WorkerDirectory[] = []
  let directories: readonly WorkerDirectory[] = []
  let isStopped = false

  const broker = createQueueBroker({
    store: ports.queueStore,
    clock,
    warn,
    onDelivered: ports.onDelivered,
    deliver: (worker, queue, messages) =>
      switcher.use(worker, (host) => host.deliverBatch(worker, queue, messages)),
  })
  const scheduler = createScheduler({
    clock,
    warn,
    onFired: ports.onFired,
    fire: ({ worker, cron }, timeMs) =>
      switcher.use(worker, (host) => host.runScheduled(worker, cron, timeMs)),
  })
  const hostPorts: Omit<HostPorts, 'onLost'> = {
    environment,
    vars: options.vars,
    virtualNow: options.isVirtual ? clock.now : undefined,
    stateFolder,
    sendToQueue: broker.send,
    versionOf: (worker) =>
      directories.find((each) => each.worker === worker)?.configuration.vars[VERSION_VARIABLE] ??
      '',
    callSandbox: sandboxes.call,
    log: ports.log,
    warn,
    ...(options.loadMs === undefined ? {} : { loadMs: options.loadMs }),
  }
  /** For a worker in its own process, whose loss affects no other. */
  const apartPorts: HostPorts = { ...hostPorts, onLost: ({ message }) => warn(message) }

  const answer = async (worker: string, exchange: Exchange): Promise<void> => {
    const directory = directories.find((each) => each.worker === worker)
    if (directory === undefined) throw new StewardError('worker_not_found', { worker })
    if (isApart(directory)) return sandboxes.answer(worker, exchange)
    const pass = async (host: Host): Promise<void> => {
      const { hostname, port } = await host.addressOf(worker)
      await forward(exchange, { host: hostname, port: Number(port) })
    }
    await switcher.use(worker, pass, REQUEST_PATIENCE_MS)
  }

  const openFronts = async (wanted: readonly WorkerDirectory[]): Promise<void> => {
    const workers = wanted.map(({ worker }) => worker)
    const memory = assignPorts(workers, options.basePort, await ports.ports.read())
    for (const worker of workers) {
      const port = memory.ports[worker]
      if (fronts.has(worker) || port === undefined) continue
      const spare = Math.max(options.basePort, ...Object.values(memory.ports)) + 1
      const front = await openFreeFront(port, spare, worker, (exchange) => answer(worker, exchange))
      if (port !== 0 && front.port !== port) {
        warn(`port ${port} is taken by another program; ${worker} is at ${front.port} this time`)
      }
      fronts.set(worker, front)
    }
    await ports.ports.write(memory)
    for (const [worker, front] of fronts) {
      if (workers.includes(worker)) continue
      fronts.delete(worker)
      void front.close()
    }
  }

  const take = async (): Promise<string[]> => {
    const found = await readWorkerDirectories(workersFolder)
    for (const problem of found.problems) warn(problem.message)
    const changed = changedSince(read, found.workers)
    if (changed.length === 0 && switcher.current() !== undefined) return []
    await run(found.workers)
    return changed
  }

  /** Replaces the shared process only if something in it changed, or if it is lost. */
  const run = async (wanted: readonly WorkerDirectory[], isLost = false): Promise<void> => {
    const storageWork = createWorkCount()
    const onLost = (error: StewardError): void => {
      // A process from before a reload only finishes its work.
      if (switcher.current() === host) void replaceLost(error)
      else warn(error.message)
    }
    const loadable = await keepLoadable(wanted, directories, apartPorts)
    const running = isLost ? undefined : switcher.current()
    const isKept = running !== undefined && isSameHost(running.directories, loadable)
    const host = isKept
      ? running
      : await startBest(loadable, directories, { ...hostPorts, storageWork, onLost })
    if (isStopped) return isKept ? undefined : host.dispose()
    try {
      await openFronts(wanted)
    } catch (thrown) {
      if (!isKept) await host.dispose()
      throw thrown
    }
    read = wanted
    directories = isKept ? loadable : host.directories
    sandboxes.set(directories)
    if (!isKept) switcher.replace(host, storageWork)
    scheduler.set(directories.flatMap(schedulesOf))
    broker.set(directories.flatMap(consumersOf))
  }

  /** Miniflare restarts workerd once; a crash during that restart is handled here. */
  const replaceLost = async (lost: StewardError): Promise<void> => {
    let error = lost
    for (let attempt = 1; attempt <= RESTARTS && !isStopped; attempt++) {
      warn(`${error.message}; trying again (${attempt} of ${RESTARTS})`)
      try {
        await run(read, true)
        return warn('workerd was restarted')
      } catch (thrown) {
        error = new StewardError('workerd_lost', { reason: reasonOf(thrown) }, thrown)
      }
    }
    if (!isStopped) ports.onLost(error)
  }

  const forgetWorkerd = await prepareWorkerd(stateFolder)
  try {
    await take()
  } catch (thrown) {
    forgetWorkerd()
    for (const front of fronts.values()) front.abort()
    throw thrown
  }

  return {
    addresses: () =>
      directories.flatMap(({ name, worker }) => {
        const front = fronts.get(worker)
        return front === undefined ? [] : [{ name, worker, url: `http://127.0.0.1:${front.port}` }]
      }),
    reload: take,
    wake: broker.wake,
    settle: async () => {
      await scheduler.idle()
      await broker.idle()
    },
    stop: async () => {
      isStopped = true
      scheduler.stop()
      broker.stop()
      for (const front of fronts.values()) void front.close()
      await switcher.close(DRAIN_MS)
      await sandboxes.stop()
      for (const front of fronts.values()) front.abort()
      forgetWorkerd()
    },
  }
}

/** Workers that were added, removed, or changed in code or configuration. */
const changedSince = (
  before: readonly WorkerDirectory[],
  now: readonly WorkerDirectory[],
): string[] => {
  const names = new Set([...before, ...now].map(({ worker }) => worker))
  return [...names].filter((name) => {
    const former = before.find(({ worker }) => worker === name)
    const latter = now.find(({ worker }) => worker === name)
    return !former || !latter || !isSameDirectory(former, latter)
  })
}

const schedulesOf = ({ worker, configuration }: WorkerDirectory): Schedule[] =>
  configuration.triggers.crons.map((cron) => ({ worker, cron }))

const consumersOf = ({ worker, configuration }: WorkerDirectory): QueueConsumer[] =>
  configuration.queues.consumers.map((consumer) => ({
    worker,
    queue: consumer.queue,
    maxBatchSize: consumer.max_batch_size,
    maxBatchTimeoutMs: consumer.max_batch_timeout * 1000,
    maxRetries: consumer.max_retries,
    deadLetterQueue: consumer.dead_letter_queue,
    retryDelaySeconds: consumer.retry_delay,
  }))
