import { createHash, randomBytes } from 'node:crypto'
import { type HostedKey, KEY_SCOPES, type KeyScope } from '@steward/contract'
import { z } from 'zod'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'

/** A stored key: only its hash, never the secret. */
export interface StoredKey {
  id: string
  hash: string
  /** Its last characters. */
  hint: string
  name: string
  scope: KeyScope
  environmentId: string | null
  sessionId: string | null
  /** The work item that a session's token was created for. */
  workId: string | null
  createdMs: number
  expiresMs: number | null
  revokedMs: number | null
  usedMs: number | null
}

const moment = z.coerce.number().nullable()
const keyRow = z.object({
  id: z.string(),
  hash: z.string(),
  hint: z.string(),
  name: z.string(),
  scope: z.enum(KEY_SCOPES),
  environment_id: z.string().nullable(),
  session_id: z.string().nullable(),
  work_id: z.string().nullable(),
  created_ms: z.coerce.number(),
  expires_ms: moment,
  revoked_ms: moment,
  used_ms: moment,
})

export const KEY_COLUMNS =
  'id, hash, hint, name, scope, environment_id, session_id, work_id, created_ms, expires_ms, revoked_ms, used_ms'

export const toStoredKey = (row: Row): StoredKey => {
  const read = keyRow.parse(row)
  return {
    id: read.id,
    hash: read.hash,
    hint: read.hint,
    name: read.name,
    scope: read.scope,
    environmentId: read.environment_id,
    sessionId: read.session_id,
    workId: read.work_id,
    createdMs: read.created_ms,
    expiresMs: read.expires_ms,
    revokedMs: read.revoked_ms,
    usedMs: read.used_ms,
  }
}

/** The key as listed. */
export const toHostedKey = (key: StoredKey): HostedKey => ({
  id: key.id,
  type: 'key',
  name: key.name,
  scope: key.scope,
  environment_id: key.environmentId,
  session_id: key.sessionId,
  hint: key.hint,
  created_at: toInstant(key.createdMs),
  expires_at: toInstantOrNull(key.expiresMs),
  last_used_at: toInstantOrNull(key.usedMs),
  revoked_at: toInstantOrNull(key.revokedMs),
})

/** A new secret of 256 bits; a slow hash would add no protection. */
export const createSecret = (): string => `sk-steward-${randomBytes(32).toString('base64url')}`

export const hashSecret = (secret: string): string =>
  createHash('sha256').update(secret).digest('hex')
