import {
  type AttentionAnswer,
  type AttentionOutcome,
  type AttentionRequest,
  StewardError,
  type StewardEvent,
} from '@steward/contract'
import type { StartTimer } from '@steward/platform'
import { explainMisfit } from './check-answer.ts'
import type { Closing, RequestStore, StoredRequest } from './request-store.ts'

/** Who gave an answer, for the log: `command line and dashboard`, or a device. */
interface Answerer {
  name: string
}

export interface RequestsPorts {
  store: Pick<RequestStore, 'insert' | 'close' | 'find' | 'open'>
  now: () => number
  setTimer: StartTimer
  /** Called before the assistant gets the answer. Never rejects. */
  record: (request: AttentionRequest, answer: AttentionAnswer, by: string) => Promise<void>
  onChange: () => void
}

export interface Requests {
  /** Closes requests whose hook has stopped waiting since the last start. */
  start: () => void
  stop: () => void
  /** Waits for the outcome of a request; rejects if the daemon stops or the hook disconnects. */
  ask: (request: AttentionRequest, signal: AbortSignal) => Promise<AttentionOutcome>
  /** Resolves when the assistant gets the answer. Throws if it is not accepted. */
  answer: (id: string, answer: AttentionAnswer, by: Answerer) => Promise<void>
  /** Withdraws requests whose hook has stopped waiting. */
  withdraw: (isMeant: (request: AttentionRequest) => boolean) => void
  /** Withdraws requests of sessions that went on. */
  take: (events: readonly StewardEvent[]) => void
  open: () => readonly StoredRequest[]
}

const MOST_OPEN = 200
/** The daemon refuses answers before the hook gives up, so that none is accepted and lost. */
const MARGIN_MS = 1000
/** A hook whose connection broke asks again every half second. */
const RECONNECT_MS = 5000
const RECONNECT_AFTER_START_MS = 30_000

const GONE = 'the assistant does not wait here any more'
const EXPIRED = 'it expired; the assistant asks in its terminal'
const WENT_ON = 'it was answered in the terminal, or the session went on'

interface Waiter {
  settle: (outcome: AttentionOutcome) => void
  cut: () => void
}

/**
 * Requests of assistants, from asked to answered, withdrawn or expired. Each changes its state once,
 * in the database, so that one answer wins even if the daemon is killed between two steps. Only an
 * answer allows anything.
 */
export const createRequests = (ports: RequestsPorts): Requests => {
  const { store, now, setTimer, onChange } = ports
  const open = new Map<string, StoredRequest>()
  const waiters = new Map<string, Waiter>()
  const timers = new Map<string, () => void>()
  const arrivals = new Map<string, Set<() => void>>()
  let startedMs = Number.NEGATIVE_INFINITY

  const setTimerOf = (name: string, delayMs: number, action: () => void): void => {
    timers.get(name)?.()
    timers.set(name, setTimer(Math.max(0, delayMs), action))
  }
  const cancelTimer = (name: string): void => {
    timers.get(name)?.()
    timers.delete(name)
  }

  /** False if it was closed before. The hook is told by `settle`. */
  const close = (id: string, closing: Closing): boolean => {
    const isClosed = store.close(id, closing, now())
    if (isClosed || closing.state !== 'answered') {
      open.delete(id)
      cancelTimer(`until ${id}`)
      cancelTimer(`gone ${id}`)
      onChange()
    }
    return isClosed
  }
  const settle = (id: string): void => {
    const outcome = outcomeOf(store.find(id))
    if (outcome !== undefined) waiters.get(id)?.settle(outcome)
  }
  const end = (id: string, state: 'withdrawn' | 'expired', detail: string): void => {
    close(id, { state, detail })
    settle(id)
  }

  const expectHook = (id: string, withinMs: number): void =>
    setTimerOf(`gone ${id}`, withinMs, () => end(id, 'withdrawn', GONE))

  const watch = (stored: StoredRequest): void => {
    const { id } = stored.request
    open.set(id, stored)
    setTimerOf(`until ${id}`, stored.untilMs - now(), () => end(id, 'expired', EXPIRED))
  }

  const wait = (id: string, signal: AbortSignal): Promise<AttentionOutcome> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', cut)
        if (waiters.get(id) === waiter) waiters.delete(id)
      }
      const waiter: Waiter = {
        settle: (outcome) => {
          leave()
          resolve(outcome)
        },
        cut: () => cut(),
      }
      const cut = (): void => {
        const isCurrent = waiters.get(id) === waiter
        leave()
        if (isCurrent && open.has(id)) expectHook(id, RECONNECT_MS)
        reject(new StewardError('module_failed', { module: 'attention', reason: 'it stops' }))
      }
      waiters.get(id)?.settle({ status: 'closed', reason: 'the hook asked again' })
      waiters.set(id, waiter)
      cancelTimer(`gone ${id}`)
      signal.addEventListener('abort', cut, { once: true })
      for (const tell of arrivals.get(id) ?? []) tell()
      if (signal.aborted) cut()
    })

  /** Whether a hook waits now, or asks again soon. */
  const isConnected = (id: string): Promise<boolean> => {
    if (waiters.has(id)) return Promise.resolve(true)
    return new Promise((resolve) => {
      const told = arrivals.get(id) ?? new Set()
      const finish = (isThere: boolean): void => {
        cancel()
        told.delete(arrived)
        if (told.size === 0) arrivals.delete(id)
        resolve(isThere)
      }
      const arrived = (): void => finish(true)
      arrivals.set(id, told.add(arrived))
      // Answers of devices are read before the daemon listens to hooks.
      const leftMs = startedMs + RECONNECT_AFTER_START_MS - now()
      const cancel = setTimer(Math.max(RECONNECT_MS, leftMs), () => finish(false))
    })
  }

  return {
    start: () => {
      startedMs = now()
      for (const stored of store.open()) {
        watch(stored)
        expectHook(stored.request.id, RECONNECT_AFTER_START_MS)
      }
    },
    stop: () => {
      // Hooks ask again, until the next daemon answers.
      for (const waiter of [...waiters.values()]) waiter.cut()
      for (const name of [...timers.keys()]) cancelTimer(name)
    },
    ask: async (request, signal) => {
      const known = store.find(request.id)
      const outcome = outcomeOf(known)
      if (outcome !== undefined) return outcome
      if (known === undefined) {
        if (open.size >= MOST_OPEN) throw new StewardError('attention_full', { count: open.size })
        const untilMs = now() + Math.max(request.waitMs - MARGIN_MS, request.waitMs / 2)
        const askedMs = now()
        await store.insert(request, askedMs, Math.floor(untilMs))
        watch({ ...NEW, request, askedMs, untilMs: Math.floor(untilMs) })
        onChange()
      }
      return wait(request.id, signal)
    },
    answer: async (id, answer, by) => {
      const stored = store.find(id)
      if (stored === undefined) throw new StewardError('attention_not_found', { id })
      if (stored.state !== 'waiting') throw closedError(id, stored)
      const misfit = explainMisfit(stored.request.asked, answer)
      if (misfit !== undefined) {
        throw new StewardError('invalid_input', { subject: 'the answer', reason: misfit })
      }
      if (!(await isConnected(id))) throw new StewardError('attention_closed', { id, reason: GONE })
      const detail = `it was answered by ${by.name}`
      if (!close(id, { state: 'answered', answer, by: by.name, detail })) {
        throw closedError(id, store.find(id))
      }
      await ports.record(stored.request, answer, by.name)
      settle(id)
    },
    withdraw: (isMeant) => {
      // They may be of an earlier daemon.
      for (const { request } of store.open()) {
        if (isMeant(request)) end(request.id, 'withdrawn', GONE)
      }
    },
    take: (events) => {
      for (const { request } of [...open.values()]) {
        if (events.some((event) => endsRequest(event, request))) {
          end(request.id, 'withdrawn', WENT_ON)
        }
      }
    },
    open: () => [...open.values()],
  }
}

const NEW = { state: 'waiting', answer: null, answeredBy: null, detail: null } as const

const outcomeOf = (stored: StoredRequest | undefined): AttentionOutcome | undefined => {
  if (stored === undefined || stored.state === 'waiting') return undefined
  if (stored.answer !== null) return { status: 'answered', answer: stored.answer }
  return { status: 'closed', reason: stored.detail ?? stored.state }
}

const closedError = (id: string, stored: StoredRequest | undefined): StewardError =>
  new StewardError('attention_closed', { id, reason: stored?.detail ?? EXPIRED })

const ENDS: ReadonlySet<string> = new Set(['turn_end', 'stop', 'stop_failure', 'user_prompt'])

/** Whether an event shows that the session no longer waits for this request. */
export const endsRequest = (event: StewardEvent, request: AttentionRequest): boolean => {
  const { type, session_id, timestamp } = event
  const afterMs = Date.parse(timestamp) - Date.parse(request.at)
  if (session_id !== request.session_id || !(afterMs > 0)) return false
  if (type === 'session_end') return true
  const agent = typeof event.agent_id === 'string' ? event.agent_id : undefined
  if (agent !== request.agent_id) return false
  if (ENDS.has(type) || event.notification_type === 'idle_prompt') return true
  if (type !== 'tool_use' && type !== 'tool_failure') return false
  const isSame =
    event.tool_name === request.tool_name && event.tool_input_preview === request.preview
  // Calls that started before the request run beside it.
  const lastedMs = typeof event.duration_ms === 'number' ? event.duration_ms : 0
  return isSame || afterMs - lastedMs > 0
}
