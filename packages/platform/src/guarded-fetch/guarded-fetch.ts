import { type Fetch, LIMITS } from '@steward/contract'
import { createPrivateHosts, type FetchGuard, guardFetch } from '@steward/engine'
import type { Dispatcher } from 'undici'
import { type StartTimer, startSystemTimer } from '../processes/start-timer.ts'
import { isAddress, refusalOf } from './address.ts'
import { findTelling } from './find-telling.ts'
import { createGuardedAgent, type Lookup, lookUpAll } from './guarded-agent.ts'

export interface GuardedFetchOptions {
  /** `host` or `host:port` entries that may be private or loopback. */
  allowPrivateHosts?: readonly string[]
  limits?: NonNullable<FetchGuard['limits']>
  lookup?: Lookup
  startTimer?: StartTimer
}

/**
 * The guarded `fetch` of this machine. Names are judged by their resolved addresses, in the lookup
 * that the connection uses; literal addresses are judged directly. Proxies of the environment are
 * not used.
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
