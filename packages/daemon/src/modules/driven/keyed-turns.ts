import {
  type DrivenSession,
  type DrivenStart,
  type DrivenTurn,
  type DrivenTurnRequest,
  StewardError,
  type TurnAnswer,
  type TurnTask,
  turnTask,
} from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import type { DrivenStore } from './driven-store.ts'
import type { Slots } from './slots.ts'

export interface KeyedTurnPorts {
  store: Pick<DrivenStore, 'turn'>
  slots: Pick<Slots, 'wait'>
  now: () => number
  setTimer: StartTimer
  /** Whether its process runs here, or it is about to be resumed after a restart. */
  isAttended: (id: string) => boolean
  /** These begin a turn in a slot that is held for them. */
  start: (body: DrivenStart, key: string) => Promise<unknown>
  send: (session: string, text: string, key: string) => Promise<unknown>
  goOn: (session: DrivenSession) => Promise<unknown>
  /** Removes what a session left that never got its task. */
  discard: (session: DrivenSession) => Promise<void>
  stop: (session: string, reason: string) => Promise<unknown>
  readDiff: (session: DrivenSession) => Promise<string | null>
}

/** Turns that actions request, each under a key of its run and step. */
export interface KeyedTurns {
  /** Resolves when the turn has ended. */
  run: (task: TurnTask, options: { key: string; signal: AbortSignal }) => Promise<TurnAnswer>
  /** The same for a caller in another process, which asks again until the turn has ended. */
  poll: (request: DrivenTurnRequest, signal: AbortSignal) => Promise<DrivenTurn>
  /** A session has changed. */
  changed: () => void
}

/**
 * A turn is looked up by its key before anything is started: a finished one is returned as it is
 * stored, a running one is waited for, and a failed or interrupted one goes on in its session.
 */
export const createKeyedTurns = (ports: KeyedTurnPorts): KeyedTurns => {
  const { store, slots, now, setTimer } = ports
  const watchers = new Set<() => void>()
  const beginning = new Map<string, Promise<void>>()
  const askedAt = new Map<string, number>()

  const isNeverBegun = (session: DrivenSession): boolean =>
    session.turns === 0 && !ports.isAttended(session.id)
  const isLeft = (session: DrivenSession): boolean =>
    isNeverBegun(session) || session.state === 'failed' || session.state === 'interrupted'
  const isEnded = ({ state }: DrivenSession): boolean => state !== 'starting' && state !== 'working'

  const beginOnce = async (key: string, given: TurnTask, signal: AbortSignal): Promise<void> => {
    const known = store.turn(key)
    if (known !== undefined && !isLeft(known)) return
    const first = askedAt.get(key) ?? now()
    askedAt.set(key, first)
    const release = await slots.wait(first, signal)
    try {
      const task = turnTask.parse(given)
      if (known !== undefined && !isNeverBegun(known)) await ports.goOn(known)
      else if ('session' in task) await ports.send(task.session, task.prompt, key)
      else {
        if (known !== undefined) await ports.discard(known)
        await ports.start(task, key)
      }
      askedAt.delete(key)
    } finally {
      release()
    }
  }
  const begin = (key: string, task: TurnTask, signal: AbortSignal): Promise<void> => {
    const running =
      beginning.get(key) ??
      beginOnce(key, task, signal).finally(() => {
        beginning.delete(key)
      })
    beginning.set(key, running)
    return running
  }

  const ended = (key: string, signal: AbortSignal): Promise<DrivenSession> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        watchers.delete(look)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        stop()
        reject(signal.reason)
      }
      const look = (): void => {
        const session = store.turn(key)
        if (session === undefined || !isEnded(session)) return
        stop()
        resolve(session)
      }
      if (signal.aborted) return reject(signal.reason)
      watchers.add(look)
      signal.addEventListener('abort', onAbort, { once: true })
      look()
    })

  const answerOf = async (session: DrivenSession): Promise<TurnAnswer> => ({
    session,
    diff: await ports.readDiff(session),
  })

  return {
    changed: () => {
      for (const look of watchers) look()
    },
    run: async (task, { key, signal }) => {
      try {
        await begin(key, task, signal)
        return await answerOf(await ended(key, signal))
      } catch (thrown) {
        const session = store.turn(key)
        const isOver = signal.aborted && endsTurn(signal.reason)
        if (isOver && session !== undefined && !isEnded(session)) {
          await ports.stop(session.id, `its run ended: ${signal.reason.message}`)
        }
        throw thrown
      }
    },
    poll: async ({ key, task, waitMs }, signal) => {
      const late = new AbortController()
      const cancel = setTimer(waitMs, () => late.abort(LATE))
      const stop = AbortSignal.any([signal, late.signal])
      try {
        // Assistants take seconds to start; the next request finds it again.
        await unlessAborted(begin(key, task, stop), stop)
        return { status: 'ended', ...(await answerOf(await ended(key, stop))) }
      } catch (thrown) {
        if (thrown !== LATE) throw thrown
        const session = store.turn(key)
        return session === undefined
          ? { status: 'queued', session: null, diff: null }
          : { status: 'working', session, diff: null }
      } finally {
        cancel()
      }
    },
  }
}

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })

const LATE = new Error('the wait is over')

/** A run that is interrupted is continued later, and finds its turn again. */
const endsTurn = (reason: unknown): reason is StewardError =>
  reason instanceof StewardError && (reason.code === 'run_cancelled' || reason.code === 'timeout')
