import { type ModuleHealth, type Route, reasonOf, StewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { Log } from '../log/log.ts'
import type { DaemonModule, Handler, ModuleEntry } from '../module.ts'

export type SetTimer = StartTimer

export interface ModuleRunnerPorts {
  log: Log
  setTimer: SetTimer
  /** How long the daemon waits for starts before it continues without them. */
  startWaitMs?: number
  /** How long a request waits for a starting module. */
  requestWaitMs?: number
  /** How long all modules together may take to stop. */
  stopWaitMs?: number
}

const START_WAIT_MS = 15_000
const REQUEST_WAIT_MS = 15_000
const STOP_WAIT_MS = 2500
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

type State =
  | { is: 'starting' }
  | { is: 'running' }
  | { is: 'failed'; reason: string }
  | { is: 'stopped' }

/** One module and its state. */
interface RunningModule {
  name: string
  /** One per route; they answer after `waitUntilRunning`. */
  handlers: readonly Handler[]
  /** Throws `module_failed` if it does not run. */
  checkRunning: () => void
  /** Like `checkRunning`, after waiting for starting modules that this request needs. */
  waitUntilRunning: (route: Route) => Promise<void>
  health: () => ModuleHealth
}

/**
 * Loads and starts modules independently: a failed one is retried with growing delays while the
 * others work. `stop` stops them in reverse order, each with a time limit.
 */
export const createModuleRunner = (
  modules: readonly (DaemonModule | ModuleEntry)[],
  ports: ModuleRunnerPorts,
) => {
  const { log, setTimer, startWaitMs = START_WAIT_MS, stopWaitMs = STOP_WAIT_MS } = ports
  const { requestWaitMs = REQUEST_WAIT_MS } = ports
  const firstRound = Promise.withResolvers<void>()
  let isFirstRoundOver = false
  let isStopping = false
  const wait = (delayMs: number): { over: Promise<void>; cancel: () => void } => {
    let cancel = (): void => undefined
    const over = new Promise<void>((resolve) => {
      cancel = setTimer(delayMs, resolve)
    })
    return { over, cancel }
  }
  const within = async (work: Promise<void>, limit: Promise<void>, late: () => void) => {
    const outcome = await Promise.race([work.then(() => 'done'), limit.then(() => 'late')])
    if (outcome === 'late') late()
  }
  /** Waits for a running start up to a limit. */
  const waitFor = async (start: Promise<unknown>, limitMs: number): Promise<void> => {
    const limit = wait(limitMs)
    await Promise.race([start, limit.over])
    limit.cancel()
  }

  const entries = modules.map(entryOf).map((entry) => {
    const { name } = entry
    const firstAttempt = Promise.withResolvers<void>()
    let module: DaemonModule | undefined
    let answers: ReadonlyMap<string, Handler> = new Map()
    let state: State = { is: 'starting' }
    let cancelRetry: (() => void) | undefined
    let attempt = 0
    let pending: Promise<void> = Promise.resolve()

    const load = async (): Promise<DaemonModule> => {
      const loaded = await entry.load()
      answers = new Map(loaded.handlers.map((handler) => [keyOf(handler.route), handler]))
      return loaded
    }
    const start = async (): Promise<void> => {
      attempt += 1
      try {
        module ??= await load()
        await module.start?.()
      } catch (thrown) {
        if (isStopping) return
        state = { is: 'failed', reason: reasonOf(thrown) }
        const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS)
        log.error(
          `${name} did not start (attempt ${attempt}): ${reasonOf(thrown)}; trying again in ${delayMs / 1000} s`,
        )
        cancelRetry = setTimer(delayMs, () => {
          pending = start()
        })
        return
      }
      if (attempt > 1) log.info(`${name} started at attempt ${attempt}`)
      if (state.is !== 'stopped') state = { is: 'running' }
    }

    const stop = async (): Promise<void> => {
      cancelRetry?.()
      await pending
      const wasRunning = state.is === 'running'
      state = { is: 'stopped' }
      if (!wasRunning) return
      try {
        await module?.stop?.()
      } catch (thrown) {
        log.error(`${name} did not stop cleanly: ${reasonOf(thrown)}`)
      }
    }

    const checkRunning = (): void => {
      if (state.is === 'running') return
      const reason = state.is === 'failed' ? state.reason : NOT_RUNNING[state.is]
      throw new StewardError('module_failed', { module: name, reason })
    }
    const running: RunningModule = {
      name,
      handlers: entry.routes.map((route) => {
        const key = keyOf(route)
        return {
          route,
          answer: (input, call) => {
            const handler = answers.get(key)
            if (handler === undefined) throw unserved(name, route)
            return handler.answer(input, call)
          },
        }
      }),
      checkRunning,
      waitUntilRunning: async (route) => {
        if (!isFirstRoundOver) await waitFor(whatIsNeededFor(route), requestWaitMs)
        checkRunning()
      },
      health: () => {
        if (state.is === 'stopped') return { status: 'stopped' }
        const own = module === undefined ? undefined : ownHealth(module)
        if (state.is === 'running' && own !== undefined) return own
        const reason = state.is === 'failed' ? state.reason : NOT_RUNNING.starting
        const status = state.is === 'failed' ? 'failed' : 'degraded'
        return { ...own, status, reasons: [reason] }
      },
    }
    const whatIsNeededFor = ({ method }: Route): Promise<unknown> => {
      // Without listeners, the message of a change would be lost in a kill.
      if (entry.isBeforeListeners && method !== 'GET') return firstRound.promise
      const asked = new Set([name, ...(entry.asks ?? [])])
      return Promise.all(
        entries.filter((each) => asked.has(each.name)).map((each) => each.firstAttempt),
      )
    }
    return {
      running,
      name,
      firstAttempt: firstAttempt.promise,
      begin: () => {
        pending = start().finally(firstAttempt.resolve)
        return pending
      },
      stop,
    }
  })

  return {
    modules: entries.map(({ running }) => running),
    start: async (): Promise<void> => {
      const limit = wait(startWaitMs)
      // Sequentially, so that a module is available before those that use it.
      for (const { begin, name } of entries) {
        if (isStopping) break
        await within(begin(), limit.over, () => {
          log.warn(`${name} is still starting; continuing with the others`)
        })
        await answerRequests()
      }
      limit.cancel()
      isFirstRoundOver = true
      firstRound.resolve()
    },
    /** Whether every module runs or has failed. */
    isStarted: (): boolean => isFirstRoundOver,
    /** Resolves when every module runs or has failed, at the latest after `limitMs`. */
    waitForAll: async (limitMs: number): Promise<void> => {
      if (!isFirstRoundOver) await waitFor(firstRound.promise, limitMs)
    },
    stop: async (): Promise<void> => {
      isStopping = true
      const limit = wait(stopWaitMs)
      for (const { stop, name } of entries.toReversed()) {
        await within(stop(), limit.over, () => {
          log.warn(`${name} did not stop in time and was abandoned`)
        })
      }
      limit.cancel()
    },
  }
}

/** Loading code blocks the event loop, so pending requests are answered before the next module. */
const answerRequests = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const entryOf = (given: DaemonModule | ModuleEntry): ModuleEntry =>
  'load' in given
    ? given
    : {
        name: given.name,
        routes: given.handlers.map(({ route }) => route),
        load: async () => given,
      }

const keyOf = ({ method, path }: Route): string => `${method} ${path}`

const unserved = (module: string, route: Route): StewardError =>
  new StewardError('module_failed', { module, reason: `it has no handler for ${keyOf(route)}` })

const ownHealth = (module: DaemonModule): ModuleHealth => {
  try {
    return module.health()
  } catch (thrown) {
    return { status: 'failed', reasons: [`its health is unknown: ${reasonOf(thrown)}`] }
  }
}

const NOT_RUNNING = { starting: 'it is still starting', stopped: 'the daemon is stopping' } as const
