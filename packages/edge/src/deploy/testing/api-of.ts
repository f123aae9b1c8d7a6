import { createPlatformApi, type PlatformApi } from '../platform-api.ts'
import { type PlatformStandIn, STAND_IN_ACCOUNT, STAND_IN_TOKEN } from './platform-stand-in.ts'

/** Our own client with a stand-in as server; it never really sleeps. */
export const apiOf = (
  { baseUrl }: Pick<PlatformStandIn, 'baseUrl'>,
  more: { token?: string; sleep?: (ms: number) => Promise<unknown>; signal?: AbortSignal } = {},
): PlatformApi =>
  createPlatformApi(
    {
      baseUrl,
      token: STAND_IN_TOKEN,
      fetch,
      sleep: async () => undefined,
      signal: new AbortController().signal,
      ...more,
    },
    STAND_IN_ACCOUNT,
  )
