import { existsSync } from 'node:fs'
import { reasonOf, type StewardError } from '@steward/contract'
import {
  coalesce,
  createWatchFolder,
  removeEdgeAddresses,
  writeEdgeAddresses,
} from '@steward/platform'
import { catalogRoots, type LocalRuntime } from '@steward/runner'
import { AUTH_SECRET, generateToken } from '../auth-token.ts'
import { buildDespiteMistakes } from '../build/build-despite-mistakes.ts'
import { readEdgeCatalog } from '../build/catalog.ts'
import { resourcesOf } from '../build/resources.ts'
import { activityToJson, describeDelivered, describeFired, emptyActivity } from './activity.ts'
import { createVirtualClock, systemClock, type VirtualClock } from './clock.ts'
import { type EdgeState, edgeStateOf } from './edge-state.ts'
import { type LocalEdge, startLocalEdge, type WorkerAddress } from './local-edge.ts'
import { type EdgeQueues, openEdgeQueues } from './queue-store.ts'
import { type EdgePorts, redactPorts } from './redact-ports.ts'
import { createSandboxRunner } from './sandbox-runner.ts'

export interface EdgeRequest {
  /** Worker directories are built and read here. */
  workersFolder: string
  /** The library that ships with Steward. */
  library: string
  basePort: number | undefined
  /** Starts a virtual clock, which stands still at this time until it is advanced. */
  startAtMs: number | undefined
}

export interface RunningEdge {
  addresses: () => WorkerAddress[]
  /** The AUTH_TOKEN of this start; undefined if the user configured one. */
  generatedToken: string | undefined
  /** Advances the virtual clock and returns what happened meanwhile; undefined in real time. */
  advance: ((durationMs: number) => Promise<Advanced>) | undefined
  /** Resolves if the workers are gone and cannot be restarted. */
  lost: Promise<StewardError>
  stop: () => Promise<void>
}

type Advanced = { now: string } & ReturnType<typeof activityToJson>

const DEFAULT_PORT = 8700
/** How soon messages requeued by another process (`steward edge queues retry`) are noticed. */
const WAKE_EVERY_MS = 1000
/** Editors write a file in several steps, and a checkout writes many files. */
const DEBOUNCE_MS = 150

/** Builds every worker, runs them on this machine, and rebuilds what changes until it is stopped. */
export const startEdge = async (
  steward: LocalRuntime,
  request: EdgeRequest,
  given: EdgePorts,
): Promise<RunningEdge> => {
  const state = edgeStateOf(steward.home)
  const generatedToken = steward.environment[AUTH_SECRET] ? undefined : generateToken()
  const environment = {
    ...steward.environment,
    ...(generatedToken === undefined ? {} : { [AUTH_SECRET]: generatedToken }),
  }
  const ports = redactPorts(given, environment)
  const virtual =
    request.startAtMs === undefined ? undefined : createVirtualClock(request.startAtMs)
  const lock = state.lock()
  let queues: EdgeQueues | undefined
  const release = async (): Promise<void> => {
    try {
      await queues?.close()
    } finally {
      lock.release()
    }
  }
  try {
    queues = openEdgeQueues(state.queueDatabase, (virtual ?? systemClock).now)
    await queues.inventory.releaseLeases()
    // The first build takes a minute, and silence looks like a hang.
    ports.say(describeBuild(request.workersFolder))
    await build(steward, request, ports)
    ports.say('starting the workers…')
    const parts = { steward, environment, state, queues, virtual }
    const { edge, advance, lost } = await openEdge(parts, request, ports)
    const publish = () =>
      writeEdgeAddresses(steward.home, {
        pid: process.pid,
        workers: Object.fromEntries(edge.addresses().map(({ worker, url }) => [worker, url])),
        ...(generatedToken === undefined ? {} : { token: generatedToken }),
      })
    await publish()
    const unwatch = reloadOnChange(steward, edge, request, ports, publish)
    const waking = setInterval(edge.wake, WAKE_EVERY_MS)
    return {
      addresses: edge.addresses,
      generatedToken,
      advance,
      lost,
      stop: async () => {
        clearInterval(waking)
        unwatch()
        try {
          await removeEdgeAddresses(steward.home)
          await edge.stop()
        } finally {
          await release()
        }
      },
    }
  } catch (thrown) {
    await release()
    throw thrown
  }
}

interface EdgeParts {
  steward: LocalRuntime
  environment: Readonly<Record<string, string>>
  state: EdgeState
  queues: EdgeQueues
  virtual: VirtualClock | undefined
}

const openEdge = async (
  { steward, environment, state, queues, virtual }: EdgeParts,
  request: EdgeRequest,
  { say, warn, log }: EdgePorts,
): Promise<{ edge: LocalEdge } & Pick<RunningEdge, 'advance' | 'lost'>> => {
  const lost = Promise.withResolvers<StewardError>()
  let activity = emptyActivity()
  const isVirtual = virtual !== undefined
  const edge = await startLocalEdge(
    {
      workersFolder: request.workersFolder,
      stateFolder: state.folder,
      basePort: request.basePort ?? (await state.read()).basePort ?? DEFAULT_PORT,
      environment,
      vars: { ALLOW_PRIVATE_HOSTS: steward.settings.execution.fetch.allowPrivateHosts.join(',') },
      clock: virtual ?? systemClock,
      isVirtual,
    },
    {
      queueStore: queues.store,
      sandboxRunner: createSandboxRunner(steward.sandbox, steward.home.output),
      ports: { read: state.readPorts, write: state.rememberPorts },
      log: (level, message) => log(level, withoutStack(message)),
      warn,
      onLost: lost.resolve,
      onFired: (fired) => {
        if (isVirtual) activity.fired.push(fired)
        say(describeFired(fired))
      },
      onDelivered: (delivered) => {
        if (isVirtual) activity.delivered.push(delivered)
        say(describeDelivered(delivered))
      },
    },
  )
  const timeOf = (clock: VirtualClock) => new Date(clock.now()).toISOString()
  try {
    const { workersFolder } = request
    await state.rememberStart({ workersFolder, virtualNow: virtual ? timeOf(virtual) : null })
  } catch (thrown) {
    await edge.stop()
    throw thrown
  }
  if (virtual === undefined) return { edge, advance: undefined, lost: lost.promise }
  const advance = async (durationMs: number): Promise<Advanced> => {
    edge.wake()
    await virtual.advance(durationMs, edge.settle)
    const now = timeOf(virtual)
    await state.rememberClock(now)
    const taken = activity
    activity = emptyActivity()
    return { now, ...activityToJson(taken) }
  }
  return { edge, advance, lost: lost.promise }
}

const describeBuild = (workersFolder: string): string =>
  existsSync(workersFolder)
    ? 'building workers that changed…'
    : 'building all workers for the first time; this takes about a minute…'

const build = async (
  { catalog, home, settings }: LocalRuntime,
  { workersFolder }: EdgeRequest,
  { warn }: EdgePorts,
): Promise<void> => {
  const mistakes = await buildDespiteMistakes({
    catalog: readEdgeCatalog(catalog, home.user.flows),
    resources: resourcesOf(settings.edge),
    out: workersFolder,
  })
  for (const { subject, reason } of mistakes) warn(`${subject}: ${reason}`)
}

/** Rebuilds and reloads a moment after a definition changed. A failed reload leaves the old workers running. */
const reloadOnChange = (
  steward: LocalRuntime,
  edge: LocalEdge,
  request: EdgeRequest,
  ports: EdgePorts,
  publish: () => Promise<void>,
): (() => void) => {
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  // Changes during a reload are picked up by one more reload after it.
  const reload = coalesce(async () => {
    if (isStopped) return
    try {
      await build(steward, request, ports)
      if (isStopped) return
      const before = new Set(edge.addresses().map(({ url }) => url))
      const changed = await edge.reload()
      await publish()
      if (changed.length > 0) ports.say(`reloaded: ${changed.join(', ')}`)
      for (const { name, url } of edge.addresses()) {
        if (!before.has(url)) ports.say(`${name} is at ${url}`)
      }
    } catch (thrown) {
      ports.warn(`reload failed, the previous workers keep running: ${reasonOf(thrown)}`)
    }
  })
  const onChange = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void reload(), DEBOUNCE_MS)
  }
  const watchFolder = createWatchFolder(ports.warn, {
    recursive: true,
    fallback: 'changes in it are not noticed',
  })
  const folders = Object.values(catalogRoots(steward.home.user.root, request.library))
    .flat()
    .map(({ path }) => path)
  const watchers = folders
    .filter(existsSync)
    .map((folder) => watchFolder(folder, { onChange, onEnd: () => undefined }))
  return () => {
    isStopped = true
    clearTimeout(timer)
    for (const unwatch of watchers) unwatch?.()
  }
}

/** workerd adds addresses of its machine code, which do not help users. */
const withoutStack = (message: string): string =>
  message
    .split('\n')
    .filter((line) => !line.startsWith('stack: '))
    .join('\n')
