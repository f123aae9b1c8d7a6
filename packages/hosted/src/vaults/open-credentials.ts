import { type CredentialAuthGiven, credentialAuthGiven } from '@steward/contract'
import { query, type Tx } from '../database/tx.ts'
import type { Seal } from './seal.ts'
import {
  CREDENTIAL_COLUMNS,
  type StoredCredential,
  toStoredCredential,
} from './stored-credential.ts'

/** An unsealed credential: only for the egress and for the servers it belongs to. */
export interface OpenCredential {
  id: string
  vaultId: string
  auth: CredentialAuthGiven
}

/** All unarchived credentials of these vaults, in the order of the vaults. */
export function* openCredentials(
  vaultIds: readonly string[],
  seal: Seal,
): Tx<readonly OpenCredential[]> {
  const opened: OpenCredential[] = []
  for (const vaultId of vaultIds) {
    const rows = yield* query(
      `SELECT ${CREDENTIAL_COLUMNS} FROM credentials
       WHERE vault_id = $1 AND archived_ms IS NULL ORDER BY created_ms, id`,
      vaultId,
    )
    for (const row of rows) {
      const credential = toStoredCredential(row)
      opened.push({ id: credential.id, vaultId, auth: openAuth(seal, credential) })
    }
  }
  return opened
}

export const sealAuth = (seal: Seal, id: string, auth: CredentialAuthGiven): Uint8Array =>
  seal.close(JSON.stringify(auth), id)

export const openAuth = (seal: Seal, { id, sealed }: StoredCredential): CredentialAuthGiven =>
  credentialAuthGiven.parse(JSON.parse(seal.open(sealed, id)))
