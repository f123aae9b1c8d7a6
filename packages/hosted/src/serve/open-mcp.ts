import { createGuardedStream } from '@steward/local'
import { createConnectMcp } from '../brain/mcp/connect-mcp.ts'
import type { ConnectMcp } from '../brain/mcp/mcp.ts'
import { createRefreshOauth } from '../vaults/refresh-oauth.ts'
import type { Parts } from './parts.ts'
import { setTimer } from './timers.ts'
import { createTokenFetch } from './token-fetch.ts'

/** More than a tool's answer may need, and less than what hurts. */
const BODY_BYTES = 16 * 1024 * 1024

/** Connects to MCP servers as the settings allow. */
export const openMcp = ({ options, database, seal }: Parts): ConnectMcp => {
  const allowPrivateHosts = options.settings.mcpPrivateHosts
  const now = Date.now
  const fetch = createTokenFetch(options.settings)
  return createConnectMcp({
    database,
    seal,
    fetch: createGuardedStream({ allowPrivateHosts, bodyBytes: BODY_BYTES }),
    refreshOauth: createRefreshOauth({ database, seal, fetch, now }),
    now,
    timer: setTimer,
  })
}
