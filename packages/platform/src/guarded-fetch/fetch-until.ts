import type { Fetch } from '@steward/contract'

/** A fetch that also ends with the signal, beside whatever the caller ends it by. */
export const fetchUntil =
  (fetch: Fetch, signal: AbortSignal | undefined): Fetch =>
  (input, init) => {
    const signals = [signal, init?.signal].flatMap((each) => each ?? [])
    return fetch(input, signals.length === 0 ? init : { ...init, signal: AbortSignal.any(signals) })
  }
