import { type ModuleHealth, reasonOf, StewardError } from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { Log } from '../log/log.ts'
import type { DaemonModule } from '../module.ts'

export type SetTimer = StartTimer

export interface ModuleRunnerPorts {
  log: Log
  setTimer: SetTimer
  /** How long starts are waited for before the daemon goes on without them. */
  startWaitMs?: number
  /** How long all of them together may take to stop. */
  stopWaitMs?: number
}

const START_WAIT_MS = 15_000
const STOP_WAIT_MS = 2500
const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 60_000

type State =
  | { is: 'starting' }
  | { is: 'running' }
  | { is: 'failed'; reason: string }
  | { is: 'stopped' }

/** One module and what became of it. */
export interface RunningModule {
  module: DaemonModule
  /** Throws `module_failed` when it does not run. */
  checkRunning: () => void
  health: () => ModuleHealth
}

/**
 * Starts modules, each on its own: one that fails is tried again, ever more rarely, while the others
 * work. `stop` ends them in reverse, and waits for none of them for ever.
 */
export const createModuleRunner = (
  modules: readonly DaemonModule[],
  { log, setTimer, startWaitMs = START_WAIT_MS, stopWaitMs = STOP_WAIT_MS }: ModuleRunnerPorts,
) => {
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

  const entries = modules.map((module) => {
    let state: State = { is: 'starting' }
    let cancelRetry: (() => void) | undefined
    let attempt = 0
    let pending: Promise<void> = Promise.resolve()

    const start = async (): Promise<void> => {
      attempt += 1
      try {
        await module.start?.()
      } catch (thrown) {
        if (isStopping) return
        state = { is: 'failed', reason: reasonOf(thrown) }
        const delayMs = Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LONGEST_RETRY_MS)
        log.error(
          `${module.name} did not start (attempt ${attempt}): ${reasonOf(thrown)}; trying again in ${delayMs / 1000} s`,
        )
        cancelRetry = setTimer(delayMs, () => {
          pending = start()
        })
        return
      }
      if (attempt > 1) log.info(`${module.name} started at attempt ${attempt}`)
      if (state.is !== 'stopped') state = { is: 'running' }
    }

    const stop = async (): Promise<void> => {
      cancelRetry?.()
      await pending
      const wasRunning = state.is === 'running'
      state = { is: 'stopped' }
      if (!wasRunning) return
      try {
        await module.stop?.()
      } catch (thrown) {
        log.error(`${module.name} did not stop in order: ${reasonOf(thrown)}`)
      }
    }

    const running: RunningModule = {
      module,
      checkRunning: () => {
        if (state.is === 'running') return
        const reason = state.is === 'failed' ? state.reason : NOT_RUNNING[state.is]
        throw new StewardError('module_failed', { module: module.name, reason })
      },
      health: () => {
        if (state.is === 'stopped') return { status: 'stopped' }
        const own = ownHealth(module)
        if (state.is === 'running') return own
        const reason = state.is === 'failed' ? state.reason : NOT_RUNNING.starting
        const status = state.is === 'failed' ? 'failed' : 'degraded'
        return { ...own, status, reasons: [reason] }
      },
    }
    return {
      running,
      name: module.name,
      begin: () => {
        pending = start()
        return pending
      },
      stop,
    }
  })

  return {
    modules: entries.map(({ running }) => running),
    start: async (): Promise<void> => {
      const limit = wait(startWaitMs)
      // One after the other: who listens to a module is there before it speaks.
      for (const { begin, name } of entries) {
        await within(begin(), limit.over, () => {
          log.warn(`${name} is still starting; the others go on`)
        })
      }
      limit.cancel()
    },
    stop: async (): Promise<void> => {
      isStopping = true
      const limit = wait(stopWaitMs)
      for (const { stop, name } of entries.toReversed()) {
        await within(stop(), limit.over, () => {
          log.warn(`${name} did not stop in time and was left`)
        })
      }
      limit.cancel()
    },
  }
}

const NOT_RUNNING = { starting: 'it is still starting', stopped: 'the daemon is stopping' } as const

const ownHealth = (module: DaemonModule): ModuleHealth => {
  try {
    return module.health()
  } catch (thrown) {
    return { status: 'failed', reasons: [`its health is unknown: ${reasonOf(thrown)}`] }
  }
}
