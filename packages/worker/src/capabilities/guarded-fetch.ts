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
 * The guarded `fetch` of an isolate. It cannot resolve names, so it only refuses literal private
 * addresses and names; the platform's network keeps the rest away from our services.
 *
 * `trusted` is for addresses in the flow's own definition, which may be private.
 *
 * The caller counts the first request; redirects are counted here.
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
