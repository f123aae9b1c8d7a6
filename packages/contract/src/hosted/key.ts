import { z } from 'zod'
import { hostedId, instant } from './instant.ts'

/**
 * What a key may do. `read`: look at everything but secrets. `write`: also change it. `admin`: also
 * vaults and their credentials. `environment`: the work queue of one environment and its sessions.
 * `session`: one session, for the worker that has it.
 */
export const KEY_SCOPES = ['read', 'write', 'admin', 'environment', 'session'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** A key as listed; the key itself is shown once, when it is made. */
export const hostedKey = z.object({
  id: hostedId,
  type: z.literal('key'),
  name: z.string(),
  scope: z.enum(KEY_SCOPES),
  environment_id: hostedId.nullable(),
  session_id: hostedId.nullable(),
  /** Its last characters, to tell keys apart. */
  hint: z.string(),
  created_at: instant,
  expires_at: instant.nullable(),
  last_used_at: instant.nullable(),
  revoked_at: instant.nullable(),
})
export type HostedKey = z.infer<typeof hostedKey>

/** What a route asks of a key. */
export interface KeyNeed {
  scope: 'read' | 'write' | 'admin' | 'environment'
  /** A worker's key may call it too, for its own environment or session. */
  worker?: boolean
}

const LEVELS = { read: 1, environment: 2, write: 2, admin: 3 } as const

/**
 * Whether a key of this scope may call such a route at all. That a worker's key stays with its own
 * environment or session is for the route to check, which knows whose it is.
 */
export const allowsKey = (scope: KeyScope, need: KeyNeed): boolean => {
  if (scope === 'environment') return need.scope === 'environment' || need.worker === true
  if (scope === 'session') return need.worker === true
  return LEVELS[scope] >= LEVELS[need.scope]
}
