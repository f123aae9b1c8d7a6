import type { Fetch } from '@steward/contract'

/** A fetch that is also aborted by the signal, in addition to the caller's. */
export const fetchUntil =
  (fetch: Fetch, signal: AbortSignal | undefined): Fetch =>
  (input, init) => {
    const signals = [signal, init?.signal].flatMap((each) => each ?? [])
    return fetch(input, signals.length === 0 ? init : { ...init, signal: AbortSignal.any(signals) })
  }
