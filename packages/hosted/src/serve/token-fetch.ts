import type { Fetch, HostedSettings } from '@steward/contract'
import { createGuardedFetch } from '@steward/platform'

const BODY_BYTES = 256 * 1024

/** For short requests to MCP servers and token endpoints. */
export const createTokenFetch = ({ mcpPrivateHosts }: HostedSettings): Fetch =>
  createGuardedFetch({ allowPrivateHosts: mcpPrivateHosts, limits: { bodyBytes: BODY_BYTES } })
