import {
  type Clock,
  createVirtualClock,
  type LocalEdge,
  startLocalEdge,
  systemClock,
  type VirtualClock,
} from '@steward/edge'
import { createRedactor, secretsOf } from '@steward/platform'
import type { Steward } from '@steward/runner'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import {
  type Activity,
  activityToJson,
  describeDelivered,
  describeFired,
  emptyActivity,
} from './activity.ts'
import { chooseAuthToken } from './auth-token.ts'
import { edgeStateOf } from './edge-state.ts'
import { openEdgeQueues } from './queue-store.ts'
import { readSteps } from './read-steps.ts'
import { createReloader } from './reloader.ts'
import { createSandboxRunner } from './sandbox-runner.ts'
import { watchFolders } from './watch-folders.ts'

export interface EdgeRequest {
  workersFolder: string
  basePort: number | undefined
  /** Starts a clock that stands still here until it is told to go on. */
  startAtMs: number | undefined
  json: boolean
  /** Builds what changed; answers with what could not be built. */
  build: () => Promise<string[]>
  /** Folders whose changes mean a new build. */
  sources: readonly string[]
}

const DEFAULT_PORT = 8700
/** How soon messages are seen that another process put back (`steward edge queues retry`). */
const LOOK_AGAIN_MS = 1000

/** Runs the local edge until it is asked to end. */
export const runEdge = async (io: Io, steward: Steward, request: EdgeRequest): Promise<void> => {
  const state = edgeStateOf(steward.home)
  const lock = state.lock()
  const { token, isGenerated } = chooseAuthToken(steward.environment)
  const environment = { ...steward.environment, AUTH_TOKEN: token }
  const { allowPrivateHosts } = steward.settings.execution.fetch
  const redactor = createRedactor(secretsOf(environment))
  const say = (text: string) => io.err.write(`${cleanText(redactor.redactText(text).value)}\n`)
  const warn = (text: string) => say(`${io.err.paint.yellow('warning')} ${text}`)

  const virtual =
    request.startAtMs === undefined ? undefined : createVirtualClock(request.startAtMs)
  const clock: Clock = virtual ?? systemClock
  let activity = emptyActivity()
  const queues = openEdgeQueues(state.queueDatabase, clock.now)
  try {
    await queues.inventory.releaseLeases()
    for (const mistake of await request.build()) warn(mistake)
    const memory = await state.read()
    const basePort = request.basePort ?? memory.basePort ?? DEFAULT_PORT
    const edge = await startLocalEdge(
      {
        workersFolder: request.workersFolder,
        stateFolder: state.folder,
        basePort,
        environment,
        vars: { ALLOW_PRIVATE_HOSTS: allowPrivateHosts.join(',') },
        clock,
        isVirtual: virtual !== undefined,
      },
      {
        queueStore: queues.store,
        sandboxRunner: createSandboxRunner(steward.sandbox, steward.home.output),
        ports: {
          read: async () => {
            const { basePort: base, ports } = await state.read()
            return base === undefined ? undefined : { basePort: base, ports }
          },
          write: state.rememberPorts,
        },
        log: (level, message) => say(`${io.err.paint.dim(level)} ${withoutStack(message)}`),
        warn,
        onFired: (fired) => {
          activity.fired.push(fired)
          say(describeFired(fired))
        },
        onDelivered: (delivered) => {
          activity.delivered.push(delivered)
          say(describeDelivered(delivered))
        },
      },
    )
    try {
      await state.rememberStart({
        workersFolder: request.workersFolder,
        virtualNow: virtual === undefined ? null : new Date(virtual.now()).toISOString(),
      })
      announce(io, edge, isGenerated ? token : undefined, request.json)
      const takeActivity = (): Activity => {
        const taken = activity
        activity = emptyActivity()
        return taken
      }
      await serve(io, edge, request, {
        virtual,
        takeActivity,
        say,
        warn,
        rememberClock: state.rememberClock,
      })
    } finally {
      await edge.stop()
    }
  } finally {
    await queues.close()
    lock.release()
  }
}

interface Running {
  virtual: VirtualClock | undefined
  takeActivity: () => Activity
  say: (text: string) => void
  warn: (text: string) => void
  rememberClock: (virtualNow: string) => Promise<void>
}

const serve = async (io: Io, edge: LocalEdge, request: EdgeRequest, running: Running) => {
  const { virtual, takeActivity, say, warn, rememberClock } = running
  const requestReload = createReloader(async () => {
    for (const mistake of await request.build()) warn(mistake)
    if (io.signal.aborted) return
    const changed = await edge.reload()
    if (changed.length > 0) say(`reloaded: ${changed.join(', ')}`)
  }, warn)
  const unwatch = watchFolders(request.sources, requestReload, warn)
  const looking = setInterval(edge.wake, LOOK_AGAIN_MS)
  // Only a virtual clock is spoken to; what happened by itself would pile up otherwise.
  const forgetting = virtual === undefined ? setInterval(takeActivity, LOOK_AGAIN_MS) : undefined
  try {
    const ended = new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve()
      io.signal.addEventListener('abort', () => resolve(), { once: true })
    })
    if (virtual !== undefined) {
      const advance = async (durationMs: number) => {
        edge.wake()
        await virtual.advance(durationMs, edge.settle)
        const now = new Date(virtual.now()).toISOString()
        await rememberClock(now)
        return { now, ...activityToJson(takeActivity()) }
      }
      const lines = { ...io.out, isTerminal: false }
      readSteps(io.stdin, io.signal, advance, (value) => printJson(lines, value)).catch(
        (thrown: unknown) => {
          if (!io.signal.aborted) warn(`commands are no longer read: ${String(thrown)}`)
        },
      )
    }
    await ended
  } finally {
    clearInterval(looking)
    clearInterval(forgetting)
    unwatch()
  }
}

const announce = (io: Io, edge: LocalEdge, token: string | undefined, json: boolean): void => {
  const workers = edge.addresses()
  if (json) {
    const line = { ...io.out, isTerminal: false }
    printJson(line, { workers, ...(token === undefined ? {} : { token }) })
    return
  }
  io.out.write(formatTable(workers.map(({ name, url }) => [name, url])))
  if (token !== undefined) {
    io.out.write(`\nAUTH_TOKEN of this start (set your own in .env): ${token}\n`)
  }
  io.out.write('\n^C ends it.\n')
}

/** workerd adds addresses of its own machine code, which tell nobody anything. */
const withoutStack = (message: string): string =>
  message
    .split('\n')
    .filter((line) => !line.startsWith('stack: '))
    .join('\n')
