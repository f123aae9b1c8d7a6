import { toStewardError } from '@steward/contract'
import { findDueSessions, wakeRescheduled } from '../log/lease.ts'
import type { Brain, BrainLimits, BrainOptions, BrainPorts, WakeEnd } from './brain.ts'
import { createKeptViews } from './kept-views.ts'
import { createVendorState } from './vendor-state.ts'
import { wake } from './wake.ts'

const LIMITS: BrainLimits = {
  outageMs: 24 * 3_600_000,
  retries: 6,
  retryFirstMs: 1000,
  retryMostMs: 120_000,
  toolUses: 1000,
  contextTokens: null,
}
const SESSIONS = 64
const LEASE_MS = 15_000
const POLL_MS = 1000
/** Announcements from other brains arrive by the hundred; one look handles them all. */
const LOOK_GAP_MS = 20

/** Runs the sessions of a database, alongside any number of other brains. */
export const createBrain = (ports: BrainPorts, options: BrainOptions): Brain => {
  const { database, now, timer, report } = ports
  const { owner, sessions = SESSIONS, leaseMs = LEASE_MS, pollMs = POLL_MS } = options
  const limits = { ...LIMITS, ...options.limits }
  const views = createKeptViews(sessions)
  const vendor = createVendorState(ports, () => void wakeWaiting())
  const abandoned = new AbortController()
  const working = new Map<string, Promise<WakeEnd>>()
  let stopping = false
  let started = false
  let looking = false
  let lookAgain = false
  let lookedMs = Number.NEGATIVE_INFINITY
  let lookPlanned = false
  let cancelPlanned = (): void => undefined
  let cancelPoll = (): void => undefined
  let stopHearing = (): void => undefined

  const wakeOne = (sessionId: string): Promise<WakeEnd> => {
    const known = working.get(sessionId)
    if (known !== undefined) return known
    const wakePorts = { ...ports, owner, leaseMs, limits, views, vendor }
    const work = wake(sessionId, {
      ...wakePorts,
      abandon: abandoned.signal,
      isStopping: () => stopping,
    }).finally(() => working.delete(sessionId))
    working.set(sessionId, work)
    return work
  }

  /** Sessions that wait for their next attempt go on as soon as one of them was answered. */
  const wakeWaiting = async (): Promise<void> => {
    try {
      await database.write(() => wakeRescheduled(now()))
    } catch (thrown) {
      report(toStewardError(thrown))
    }
    look()
  }

  const begin = async (sessionId: string): Promise<void> => {
    try {
      await wakeOne(sessionId)
    } catch (thrown) {
      report(toStewardError(thrown), sessionId)
      return
    }
    // There is room now, and new work may have arrived while this session was released.
    look()
  }

  const findWork = async (): Promise<void> => {
    do {
      lookAgain = false
      const room = sessions - working.size
      if (room <= 0 || stopping) return
      // Sessions that this process works on hold leases, so they are not listed.
      const due = await database.read(() => findDueSessions(now(), room, owner))
      for (const sessionId of due) if (!stopping && !working.has(sessionId)) void begin(sessionId)
    } while (lookAgain)
  }

  const look = (): void => {
    if (!started || stopping) return
    lookAgain = true
    lookedMs = now()
    if (looking) return
    looking = true
    findWork()
      .catch((thrown: unknown) => report(toStewardError(thrown)))
      .finally(() => {
        looking = false
      })
  }

  const lookSoon = (): void => {
    if (lookPlanned) return
    const waitMs = lookedMs + LOOK_GAP_MS - now()
    if (waitMs <= 0) {
      look()
      return
    }
    lookPlanned = true
    cancelPlanned = timer(waitMs, () => {
      lookPlanned = false
      look()
    })
  }

  const poll = (): void => {
    look()
    cancelPoll = timer(pollMs, poll)
  }

  return {
    start: () => {
      if (started) return
      started = true
      stopHearing = database.hear(({ sessionId, news }) => {
        if (news.type === 'appended' && !working.has(sessionId)) lookSoon()
      })
      poll()
    },
    wake: wakeOne,
    active: () => [...working.keys()],
    close: async (how) => {
      stopping = true
      cancelPoll()
      cancelPlanned()
      stopHearing()
      if (how === 'abandon') abandoned.abort(new Error('the brain is closing'))
      await Promise.allSettled(working.values())
    },
  }
}
