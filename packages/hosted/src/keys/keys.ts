import { type KeyScope, StewardError } from '@steward/contract'
import { execute, one, query, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { createSecret, hashSecret, KEY_COLUMNS, type StoredKey, toStoredKey } from './key.ts'

export interface NewKey {
  name: string
  scope: KeyScope
  environmentId?: string
  sessionId?: string
  workId?: string
  nowMs: number
  expiresMs?: number
}

const HINT_CHARACTERS = 4

/** Creates a key. The secret is only in this response. */
export function* createKey(wanted: NewKey): Tx<{ key: StoredKey; secret: string }> {
  const secret = createSecret()
  const row = yield* one(
    `INSERT INTO keys (id, hash, hint, name, scope, environment_id, session_id, work_id, created_ms, expires_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING ${KEY_COLUMNS}`,
    createId('key'),
    hashSecret(secret),
    secret.slice(-HINT_CHARACTERS),
    wanted.name,
    wanted.scope,
    wanted.environmentId ?? null,
    wanted.sessionId ?? null,
    wanted.workId ?? null,
    wanted.nowMs,
    wanted.expiresMs ?? null,
  )
  if (row === undefined) throw new StewardError('internal', { reason: 'a key was not stored' })
  return { key: toStoredKey(row), secret }
}

/** The key with this hash, whether valid or not. */
export function* findKey(hash: string): Tx<StoredKey | undefined> {
  const row = yield* one(`SELECT ${KEY_COLUMNS} FROM keys WHERE hash = $1`, hash)
  return row === undefined ? undefined : toStoredKey(row)
}

/** Keys that people created, newest first; excludes tokens of work items. */
export function* listKeys(): Tx<readonly StoredKey[]> {
  const rows = yield* query(
    `SELECT ${KEY_COLUMNS} FROM keys WHERE scope <> 'session' ORDER BY created_ms DESC, id`,
  )
  return rows.map(toStoredKey)
}

export function* revokeKey(id: string, nowMs: number): Tx<StoredKey> {
  const row = yield* one(
    `UPDATE keys SET revoked_ms = COALESCE(revoked_ms, $2) WHERE id = $1 RETURNING ${KEY_COLUMNS}`,
    id,
    nowMs,
  )
  if (row === undefined) throw new StewardError('hosted_not_found', { kind: 'key', id })
  return toStoredKey(row)
}

export function* recordKeyUse(id: string, nowMs: number): Tx<void> {
  yield* execute('UPDATE keys SET used_ms = $2 WHERE id = $1', id, nowMs)
}
