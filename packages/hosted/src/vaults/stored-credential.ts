import { credentialAuth, type HostedCredential } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { execute, one, type Tx } from '../database/tx.ts'

const credentialBody = z.object({
  display_name: z.string().nullable(),
  metadata: z.record(z.string(), z.string()),
  /** The public part; the secrets are sealed separately. */
  auth: credentialAuth,
})
export type CredentialBody = z.infer<typeof credentialBody>

/** One row of `credentials`. */
export interface StoredCredential {
  id: string
  vaultId: string
  body: CredentialBody
  /** Empty once it is archived. */
  sealed: Uint8Array
  createdMs: number
  updatedMs: number
  archivedMs: number | null
}

const number = z.coerce.number()
const credentialRow = z.object({
  id: z.string(),
  vault_id: z.string(),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(credentialBody),
  sealed: z.instanceof(Uint8Array),
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})

export const CREDENTIAL_COLUMNS = 'id, vault_id, body, sealed, created_ms, updated_ms, archived_ms'

export const toStoredCredential = (row: Row): StoredCredential => {
  const read = credentialRow.parse(row)
  return {
    id: read.id,
    vaultId: read.vault_id,
    body: read.body,
    sealed: read.sealed,
    createdMs: read.created_ms,
    updatedMs: read.updated_ms,
    archivedMs: read.archived_ms,
  }
}

export const toHostedCredential = (credential: StoredCredential): HostedCredential => ({
  id: credential.id,
  type: 'vault_credential',
  vault_id: credential.vaultId,
  ...credential.body,
  created_at: toInstant(credential.createdMs),
  updated_at: toInstant(credential.updatedMs),
  archived_at: toInstantOrNull(credential.archivedMs),
})

export interface CredentialPlace {
  vault_id: string
  credential_id: string
}

export function* getCredential(
  place: CredentialPlace,
  hold: 'hold' | 'look' = 'look',
): Tx<StoredCredential> {
  const row = yield* one(
    `SELECT ${CREDENTIAL_COLUMNS} FROM credentials WHERE id = $1 AND vault_id = $2${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('credential', place.credential_id),
    knownId('vault', place.vault_id),
  )
  if (row === undefined) throw notFound('credential', place.credential_id)
  return toStoredCredential(row)
}

/** Archives one or all credentials of a vault and erases their secrets permanently. */
export function* eraseSecrets(
  which: { vaultId: string } | { id: string },
  nowMs: number,
): Tx<void> {
  const [column, value] = 'id' in which ? ['id', which.id] : ['vault_id', which.vaultId]
  yield* execute(
    `UPDATE credentials SET sealed = $2, archived_ms = $3, updated_ms = $3
     WHERE ${column} = $1 AND archived_ms IS NULL`,
    value,
    new Uint8Array(),
    nowMs,
  )
}
