import { type CreateHandsOptions, createHands } from '../hands/create-hands.ts'
import type { Hands } from '../hands/hands.ts'
import { type ProvisionSession, provisionNothing } from '../hands/surroundings.ts'
import { createSearch } from '../hands/web/search-providers.ts'
import { createWebFetch } from '../hands/web/web-fetch.ts'
import { createWebSearch } from '../hands/web/web-search.ts'
import type { StartHostedOptions } from './hosted-options.ts'

const MIB = 1024 ** 2

/** The hands of a server according to the settings. */
export const openServerHands = (
  { home, env, settings, report, isolation = settings.isolation }: StartHostedOptions,
  given: Pick<CreateHandsOptions, 'files' | 'onLoss'> & { surround: ProvisionSession },
): Promise<Hands> => {
  const { limits, webSearch } = settings
  const search =
    webSearch === undefined
      ? undefined
      : createSearch({ settings: webSearch, braveKey: env.BRAVE_API_KEY })
  return createHands({
    home,
    report,
    driver: isolation,
    // Egress and mounts need a sandbox; without one, commands use the machine itself.
    ...given,
    surround: isolation === 'none' ? provisionNothing : given.surround,
    limits: {
      cpus: limits.cpus,
      memoryBytes: limits.memoryMb * MIB,
      processes: limits.processes,
      diskBytes: limits.diskMb * MIB,
      diskEntries: limits.files,
    },
    outsideTools: { web_fetch: createWebFetch(), web_search: createWebSearch(search) },
  })
}
