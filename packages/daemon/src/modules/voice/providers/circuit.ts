import { isPending } from '@steward/contract'
import type { ProviderFault } from './provider.ts'

/** Decides whether a provider is used, based on recent results. */
export interface Circuit {
  /** False while it is paused. Afterwards one attempt decides. */
  mayTry: () => boolean
  succeed: () => void
  fail: (fault: ProviderFault) => void
  /** Resets the state after the person changed something. */
  reset: () => void
  state: () => CircuitState
}

interface CircuitState {
  circuit: 'closed' | 'open'
  retryAtMs: number | undefined
  /** The last fault, until it succeeds again. */
  fault: ProviderFault | undefined
}

/** Consecutive failures before it is paused. */
const PATIENCE = 3
const FIRST_REST_MS = 30_000
const LONGEST_REST_MS = 15 * 60_000
/** Retry interval for faults that only the person can fix. */
const REFUSED_REST_MS = 10 * 60_000
const BUSY_REST_MS = 60_000

/** Pauses a failing provider for growing periods; a refusal pauses it immediately. */
export const createCircuit = (now: () => number): Circuit => {
  let failures = 0
  let rests = 0
  let retryAtMs: number | undefined
  let fault: ProviderFault | undefined
  const isResting = () => retryAtMs !== undefined && isPending(retryAtMs, now(), LONGEST_REST_MS)

  const restFor = (given: ProviderFault): number | undefined => {
    if (given.kind === 'refused' || given.kind === 'quota') return REFUSED_REST_MS
    if (given.kind === 'busy') {
      return Math.min(given.retryAfterMs ?? BUSY_REST_MS, LONGEST_REST_MS)
    }
    if (failures < PATIENCE) return undefined
    return Math.min(FIRST_REST_MS * 2 ** rests++, LONGEST_REST_MS)
  }
  const reset = () => {
    failures = 0
    rests = 0
    retryAtMs = undefined
    fault = undefined
  }
  return {
    mayTry: () => !isResting(),
    succeed: reset,
    reset,
    fail: (given) => {
      failures++
      fault = given
      const restMs = restFor(given)
      retryAtMs = restMs === undefined ? undefined : now() + restMs
    },
    state: () => ({
      circuit: isResting() ? 'open' : 'closed',
      retryAtMs: isResting() ? retryAtMs : undefined,
      fault,
    }),
  }
}
