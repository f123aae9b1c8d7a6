import { z } from 'zod'
import { hostedId, instant } from './instant.ts'

/**
 * Scopes of a key. `read`: read everything except secrets. `write`: also change it. `admin`: also
 * vaults and credentials, and sessions that use them. `environment`: the work queue of one environment and its sessions.
 * `session`: one session, for the worker that leases it.
 */
export const KEY_SCOPES = ['read', 'write', 'admin', 'environment', 'session'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** A key in lists; the key itself is shown only once, on creation. */
export const hostedKey = z.object({
  id: hostedId,
  type: z.literal('key'),
  name: z.string(),
  scope: z.enum(KEY_SCOPES),
  environment_id: hostedId.nullable(),
  session_id: hostedId.nullable(),
  /** Its last characters, to distinguish keys. */
  hint: z.string(),
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
  revoked_at: instant.nullable(),
})
export type HostedKey = z.infer<typeof hostedKey>

/** The scope that a route requires. */
export interface KeyNeed {
  scope: 'read' | 'write' | 'admin' | 'environment'
  /** Worker keys may also call it, for their own environment or session. */
  worker?: boolean
}

const LEVELS = { read: 1, environment: 2, write: 2, admin: 3 } as const

/**
 * Whether the scope allows the route at all. The route itself checks that a worker's key is used
 * for its own environment or session, because only the route knows the owner.
 */
export const allowsKey = (scope: KeyScope, need: KeyNeed): boolean => {
  if (scope === 'environment') return need.scope === 'environment' || need.worker === true
  if (scope === 'session') return need.worker === true
  return LEVELS[scope] >= LEVELS[need.scope]
}
