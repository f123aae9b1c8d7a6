import { EXIT } from '@steward/contract'
import type { StartTimer } from '@steward/platform'

import type { SupervisorState } from './state.ts'

/** The daemon's process, as its supervisor sees it. */
export interface DaemonProcess {
  pid: number
  /** How it ended: an exit code, or the signal's name. */
  ended: Promise<number | string>
  /** The last error it printed. */
  lastError: () => string | undefined
  signal: (name: 'SIGTERM' | 'SIGKILL') => void
}

export interface KeepRunningPorts {
  start: () => DaemonProcess
  now: () => number
  setTimer: StartTimer
  say: (line: string) => void
  /** Called after every change of the state. */
  changed: () => void
  supervisorPid: number
}

export interface KeptRunning {
  state: () => SupervisorState
  restart: () => Promise<void>
  /** Stops the daemon gracefully; kills it after a time limit. */
  stop: () => Promise<void>
  /** Resolves when supervision ends: stopped, refused, or a clean exit. */
  over: Promise<void>
}

/** Longer than the daemon's own drain. */
const STOP_MS = 25_000

/** Starts the daemon and restarts it after a failure, with growing delays. */
export const keepRunning = (ports: KeepRunningPorts): KeptRunning => {
  const { now, setTimer, say, changed } = ports
  const backoff = createBackoff()
  const over = Promise.withResolvers<void>()
  let child: DaemonProcess | undefined
  let restarts = 0
  let state: SupervisorState['state'] = 'running'
  let lastExit: string | null = null
  let refusal: string | null = null
  let cancelWait: (() => void) | undefined

  const startOne = (): void => {
    const startedAt = now()
    const mine = ports.start()
    child = mine
    state = 'running'
    say(`daemon started, pid ${mine.pid}`)
    changed()
    void mine.ended.then((how) => {
      if (child !== mine) return
      child = undefined
      lastExit = typeof how === 'number' ? `exit code ${how}` : how
      onEnd(how, now() - startedAt, mine.lastError())
    })
  }
  const finish = (last: 'ended' | 'refused', line: string): void => {
    state = last
    say(line)
    changed()
    over.resolve()
  }
  const onEnd = (how: number | string, uptimeMs: number, error: string | undefined): void => {
    if (state === 'stopping') return
    if (how === EXIT.success) {
      finish('ended', 'the daemon exited cleanly')
      return
    }
    if (how === EXIT.conflict) {
      refusal = error ?? 'another daemon uses the data home or the port'
      finish('refused', `the daemon cannot start and is not restarted: ${refusal}`)
      return
    }
    const delayMs = backoff.next(uptimeMs)
    state = 'waiting'
    restarts += 1
    say(`the daemon exited (${lastExit}); restarting in ${delayMs / 1000} s`)
    cancelWait = setTimer(delayMs, startOne)
    changed()
  }
  const endChild = async (): Promise<void> => {
    cancelWait?.()
    state = 'stopping'
    changed()
    const mine = child
    if (mine === undefined) return
    mine.signal('SIGTERM')
    const cancelKill = setTimer(STOP_MS, () => {
      say(`the daemon did not stop within ${STOP_MS / 1000} s; killing it`)
      mine.signal('SIGKILL')
    })
    await mine.ended
    cancelKill()
  }

  startOne()
  return {
    state: () => ({
      supervisorPid: ports.supervisorPid,
      pid: child?.pid ?? null,
      restarts,
      state,
      lastExit,
      refusal,
    }),
    restart: async () => {
      await endChild()
      startOne()
    },
    stop: async () => {
      await endChild()
      say('stopped')
      over.resolve()
    },
    over: over.promise,
  }
}

const FIRST_MS = 1000
const LONGEST_MS = 60_000
/** A daemon that ran this long started well, so its next exit counts as the first. */
const STEADY_MS = 60_000

/** The delay before the next start: doubled after each quick exit, up to a minute. */
export const createBackoff = () => {
  let delayMs = FIRST_MS
  return {
    /** `uptimeMs`: how long the last process ran. */
    next: (uptimeMs: number): number => {
      if (uptimeMs >= STEADY_MS) delayMs = FIRST_MS
      const waitMs = delayMs
      delayMs = Math.min(delayMs * 2, LONGEST_MS)
      return waitMs
    },
  }
}
