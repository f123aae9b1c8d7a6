import { type ObservabilityTarget, toStewardError } from '@steward/contract'
import type { StartTimer, TargetOutcome } from '@steward/platform'
import type { Log } from '../../../log/log.ts'
import type { Pushed, PushRequest } from './push-timing.ts'

export interface LanePorts {
  /** Resolves to undefined if there is nothing to push yet. */
  push: (what: Pushed, target: ObservabilityTarget) => Promise<TargetOutcome | undefined>
  /** Milliseconds since the epoch, for people. */
  now: () => number
  /** Milliseconds of a monotonic clock, for delays. */
  elapsed: () => number
  setTimer: StartTimer
  log: Pick<Log, 'warn' | 'info'>
}

/** A target's entry in `/health`. */
export interface TargetHealth {
  name: string
  type: ObservabilityTarget['type']
  status: 'ok' | 'failing' | 'idle'
  /** The age of the oldest change that the target does not have. */
  lagMs: number
  pushes: number
  lastSuccessAt: string | null
  lastError: string | null
  lastErrorAt: string | null
  /** The time of the next retry after a failure. */
  retryAt: string | null
}

const FIRST_BACKOFF_MS = 1000
const LONGEST_BACKOFF_MS = 60_000
/** The platform allows one write per key and second. */
const LEAST_INTERVAL_MS = { http: 0, 'edge-kv': 1000 } as const

/**
 * Pushes to one target: at most one push in progress and one waiting that batches later changes.
 */
export const createPushLane = (
  target: ObservabilityTarget,
  { push, now, elapsed, setTimer, log }: LanePorts,
) => {
  const wanted = new Set<Pushed>()
  /** When the wanted push is due, and since when it waits. */
  let wantedAtMs: number | undefined
  let waitsSinceMs: number | undefined
  let underWaySinceMs: number | undefined
  let notBeforeMs = 0
  let timer: { dueMs: number; stop: () => void } | undefined
  let stopped = false
  let failures = 0
  let pushes = 0
  let lastSuccessMs: number | undefined
  let lastError: string | null = null
  let lastErrorMs: number | undefined

  const want = (what: Iterable<Pushed>, atMs: number, sinceMs: number): void => {
    for (const each of what) wanted.add(each)
    wantedAtMs = Math.min(wantedAtMs ?? atMs, atMs)
    waitsSinceMs = Math.min(waitsSinceMs ?? sinceMs, sinceMs)
    arm()
  }

  const arm = (): void => {
    if (stopped || underWaySinceMs !== undefined || wantedAtMs === undefined) return
    const dueMs = Math.max(wantedAtMs, notBeforeMs)
    if (timer?.dueMs === dueMs) return
    timer?.stop()
    const stop = setTimer(Math.max(0, dueMs - elapsed()), () => {
      timer = undefined
      void send()
    })
    timer = { dueMs, stop }
  }

  const send = async (): Promise<void> => {
    const taken = [...wanted]
    const sinceMs = waitsSinceMs ?? elapsed()
    wanted.clear()
    wantedAtMs = undefined
    waitsSinceMs = undefined
    underWaySinceMs = sinceMs
    let waitMs: number = LEAST_INTERVAL_MS[target.type]
    const missed: Pushed[] = []
    for (const what of taken) {
      // After a failure the remaining parts wait for the retry.
      const outcome = missed.length > 0 ? undefined : await pushOne(what)
      if (outcome?.ok === false) waitMs = recordFailure(outcome)
      else if (outcome?.ok) recordSuccess()
      if (outcome?.ok === false || missed.length > 0) missed.push(what)
    }
    underWaySinceMs = undefined
    notBeforeMs = elapsed() + waitMs
    if (missed.length === 0) failures = 0
    else want(missed, elapsed(), sinceMs)
    arm()
  }

  const pushOne = async (what: Pushed): Promise<TargetOutcome | undefined> => {
    try {
      return await push(what, target)
    } catch (thrown) {
      const { name, type } = target
      return { target: name, type, ok: false, durationMs: 0, error: toStewardError(thrown) }
    }
  }

  const recordSuccess = (): void => {
    pushes += 1
    lastSuccessMs = now()
    if (lastError !== null) log.info(`target ${target.name}: pushes arrive again`)
    lastError = null
  }

  /** Returns the delay before the next attempt. */
  const recordFailure = ({ error, retryAfterMs = 0 }: TargetOutcome): number => {
    failures += 1
    const message = error?.message ?? 'the push failed'
    if (message !== lastError && !stopped) log.warn(`target ${target.name}: ${message}`)
    lastError = message
    lastErrorMs = now()
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS)
    return Math.max(backoffMs, retryAfterMs)
  }

  return {
    target,
    request: ({ what, delayMs }: PushRequest): void => {
      want(what, elapsed() + delayMs, elapsed())
    },
    /** The cause of the failure may be fixed, so retry without waiting for the delay. */
    retryNow: (): void => {
      if (failures === 0) return
      notBeforeMs = 0
      arm()
    },
    health: (): TargetHealth => {
      const sinceMs = underWaySinceMs ?? waitsSinceMs
      return {
        name: target.name,
        type: target.type,
        status: lastError !== null ? 'failing' : lastSuccessMs === undefined ? 'idle' : 'ok',
        lagMs: sinceMs === undefined ? 0 : Math.max(0, elapsed() - sinceMs),
        pushes,
        lastSuccessAt: toIso(lastSuccessMs),
        lastError,
        lastErrorAt: toIso(lastErrorMs),
        retryAt: failures > 0 ? toIso(now() + Math.max(0, notBeforeMs - elapsed())) : null,
      }
    },
    stop: (): void => {
      stopped = true
      timer?.stop()
    },
  }
}
export type PushLane = ReturnType<typeof createPushLane>

const toIso = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString()
