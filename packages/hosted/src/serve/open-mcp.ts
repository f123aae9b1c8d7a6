import { createGuardedStream } from '@steward/platform'
import type { ConnectMcp } from '../brain/mcp/mcp.ts'
import { createRefreshOauth } from '../vaults/refresh-oauth.ts'
import type { Parts } from './parts.ts'
import { setTimer } from './timers.ts'
import { createTokenFetch } from './token-fetch.ts'

/** More than a tool's answer may need, and less than what hurts. */
const BODY_BYTES = 16 * 1024 * 1024

/** Connects to MCP servers as the settings allow. */
export const openMcp = (parts: Parts): ConnectMcp => {
  let loaded: Promise<ConnectMcp> | undefined
  return async (...given) => {
    loaded ??= load(parts)
    const connect = await loaded
    return connect(...given)
  }
}

/** The library is large, and most servers never need it. */
const load = async ({ options, database, seal }: Parts): Promise<ConnectMcp> => {
  const { createConnectMcp } = await import('../brain/mcp/connect-mcp.ts')
  const allowPrivateHosts = options.settings.mcpPrivateHosts
  const fetch = createTokenFetch(options.settings)
  const now = Date.now
  return createConnectMcp({
    database,
    seal,
    fetch: createGuardedStream({ allowPrivateHosts, bodyBytes: BODY_BYTES }),
    refreshOauth: createRefreshOauth({ database, seal, fetch, now }),
    now,
    timer: setTimer,
  })
}
