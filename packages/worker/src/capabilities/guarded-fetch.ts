import type { Fetch } from '@steward/contract'
import {
  type AllowsPrivate,
  createPrivateHosts,
  guardFetch,
  type SubrequestBudget,
} from '@steward/engine'
import { textIn, type WorkerEnv } from '../env.ts'
import type { WorkerPorts } from '../platform.ts'
import { refusalOfHost } from './literal-address.ts'

/**
 * The guarded `fetch` of an isolate. It cannot see what a name resolves to, so only addresses and
 * names that are private as written are refused; the platform's own network keeps the rest from
 * reaching anything of ours.
 *
 * `trusted` is for addresses that the flow's owner wrote into its definition; private ones may be meant.
 *
 * The call itself is counted by whoever hands it out; further hops are counted here.
 */
export const createWorkerFetch = (
  env: WorkerEnv,
  { fetch, startTimer }: Pick<WorkerPorts, 'fetch' | 'startTimer'>,
  subrequests: SubrequestBudget,
  { trusted = false }: { trusted?: boolean } = {},
): Fetch => {
  const listed = textIn(env, 'ALLOW_PRIVATE_HOSTS')?.split(',') ?? []
  const allowsListed = createPrivateHosts(listed.map((host) => host.trim()).filter(Boolean))
  const allowsPrivate: AllowsPrivate = trusted ? () => true : allowsListed
  return guardFetch({
    send: ({ url, method, headers, body }, signal) =>
      fetch(url, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal,
      }),
    refusalOf: refusalOfHost,
    allowsPrivate,
    startTimer,
    onRedirect: subrequests.spend,
  })
}
