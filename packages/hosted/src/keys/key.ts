import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Row } from '../database/tx.ts'

/**
 * What a key may do. `all`: everything. `read`: look, never change. `worker`: serve the work queue of
 * one environment and the sessions in it. `session`: the one session of a work item.
 */
export const KEY_SCOPES = ['all', 'read', 'worker', 'session'] as const
export type KeyScope = (typeof KEY_SCOPES)[number]

/** What a key is limited to. */
export const keyBounds = z.object({
  environment_id: z.string().optional(),
  session_id: z.string().optional(),
  work_id: z.string().optional(),
})
export type KeyBounds = z.infer<typeof keyBounds>

/** A key as it is stored: its hash, never itself. */
export interface StoredKey {
  id: string
  hash: string
  name: string
  scopes: readonly KeyScope[]
  bounds: KeyBounds
  createdMs: number
  expiresMs: number | null
  revokedMs: number | null
  usedMs: number | null
}

const moment = z.coerce.number().nullable()
const json = z.string().transform((text): unknown => JSON.parse(text))
const keyRow = z.object({
  id: z.string(),
  hash: z.string(),
  name: z.string(),
  scopes: json.pipe(z.array(z.enum(KEY_SCOPES))),
  bound_to: json.pipe(keyBounds).nullable(),
  created_ms: z.coerce.number(),
  expires_ms: moment,
  revoked_ms: moment,
  used_ms: moment,
})

export const KEY_COLUMNS =
  'id, hash, name, scopes, bound_to, created_ms, expires_ms, revoked_ms, used_ms'

export const toStoredKey = (row: Row): StoredKey => {
  const read = keyRow.parse(row)
  return {
    id: read.id,
    hash: read.hash,
    name: read.name,
    scopes: read.scopes,
    bounds: read.bound_to ?? {},
    createdMs: read.created_ms,
    expiresMs: read.expires_ms,
    revokedMs: read.revoked_ms,
    usedMs: read.used_ms,
  }
}

/** A fresh secret of 256 bits; a slow hash would add nothing to it. */
export const createSecret = (): string => `sk-steward-${randomBytes(32).toString('base64url')}`

export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex')
