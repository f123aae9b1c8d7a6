import type { HostedVault } from '@steward/contract'
import { z } from 'zod'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { Row } from '../database/row.ts'
import { one, type Tx } from '../database/tx.ts'

const vaultBody = z.object({
  display_name: z.string(),
  metadata: z.record(z.string(), z.string()),
})

/** One row of `vaults`. */
export interface StoredVault {
  id: string
  body: z.infer<typeof vaultBody>
  createdMs: number
  updatedMs: number
  archivedMs: number | null
}

const number = z.coerce.number()
const vaultRow = z.object({
  id: z.string(),
  body: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(vaultBody),
  created_ms: number,
  updated_ms: number,
  archived_ms: number.nullable(),
})

export const VAULT_COLUMNS = 'id, body, created_ms, updated_ms, archived_ms'

export const toStoredVault = (row: Row): StoredVault => {
  const read = vaultRow.parse(row)
  return {
    id: read.id,
    body: read.body,
    createdMs: read.created_ms,
    updatedMs: read.updated_ms,
    archivedMs: read.archived_ms,
  }
}

export const toHostedVault = (vault: StoredVault): HostedVault => ({
  id: vault.id,
  type: 'vault',
  ...vault.body,
  created_at: toInstant(vault.createdMs),
  updated_at: toInstant(vault.updatedMs),
  archived_at: toInstantOrNull(vault.archivedMs),
})

export function* getVault(id: string, hold: 'hold' | 'look' = 'look'): Tx<StoredVault> {
  const row = yield* one(
    `SELECT ${VAULT_COLUMNS} FROM vaults WHERE id = $1${hold === 'hold' ? ' FOR UPDATE' : ''}`,
    knownId('vault', id),
  )
  if (row === undefined) throw notFound('vault', id)
  return toStoredVault(row)
}
