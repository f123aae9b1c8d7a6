import { type Fetch, LIMITS, StewardError } from '@steward/contract'
import { createPrivateHosts, type FetchGuard, guardFetch } from '@steward/engine'
import type { Dispatcher } from 'undici'
import { type StartTimer, startSystemTimer } from '../start-timer.ts'
import { isAddress, refusalOf } from './address.ts'
import { createGuardedAgent, type Lookup, lookUpAll } from './guarded-agent.ts'

export interface GuardedFetchOptions {
  /** `host` or `host:port` entries that may be private or loopback. */
  allowPrivateHosts?: readonly string[]
  limits?: NonNullable<FetchGuard['limits']>
  lookup?: Lookup
  startTimer?: StartTimer
}

/**
 * The guarded `fetch` of this machine. Names are judged by what they resolve to, in the lookup that the
 * connection is made from; what is already an address is judged as it is written. Proxies of the
 * environment are not used.
 */
export const createGuardedFetch = ({
  allowPrivateHosts = [],
  limits = {},
  lookup = lookUpAll,
  startTimer = startSystemTimer,
}: GuardedFetchOptions = {}): Fetch => {
  const allowsPrivate = createPrivateHosts(allowPrivateHosts)
  let agent: Promise<Dispatcher> | undefined
  return guardFetch({
    send: async ({ url, method, headers, body }, signal) => {
      agent ??= createGuardedAgent(allowsPrivate, lookup, limits.timeoutMs ?? LIMITS.fetchTimeoutMs)
      const { fetch } = (await import('undici')).default
      return fetch(url, {
        method,
        headers: [...headers],
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        dispatcher: await agent,
        signal,
      })
    },
    refusalOf: (hostname) => (isAddress(hostname) ? refusalOf(hostname) : undefined),
    allowsPrivate,
    startTimer,
    limits,
    explain: findTelling,
  })
}

/** The telling error stands at the end of a chain of causes, or first among several attempts. */
const findTelling = (thrown: unknown): unknown => {
  let error = thrown
  for (let next = thrown; next instanceof Error; next = deeperThan(next)) {
    if (next instanceof StewardError) return next
    error = next
  }
  return error
}

const deeperThan = (error: Error): unknown =>
  error instanceof AggregateError ? error.errors[0] : error.cause
