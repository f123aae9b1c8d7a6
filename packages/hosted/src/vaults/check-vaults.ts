import { allowsKey, StewardError } from '@steward/contract'
import { knownId } from '../api/known-id.ts'
import { notFound } from '../api/refusal.ts'
import { one, type Tx } from '../database/tx.ts'
import type { StoredKey } from '../keys/key.ts'

/** A key that controls a session with credentials could spend them. */
export const checkVaultScope = (
  { scope }: Pick<StoredKey, 'scope'>,
  vaultIds: readonly string[],
): void => {
  if (vaultIds.length === 0 || allowsKey(scope, { scope: 'admin' })) return
  throw new StewardError('scope_missing', { scope, reason: 'a session with vaults needs admin' })
}

/** Checks that all these vaults exist and are not archived. */
export function* checkVaults(ids: readonly string[]): Tx<void> {
  for (const id of new Set(ids)) {
    const row = yield* one('SELECT archived_ms FROM vaults WHERE id = $1', knownId('vault', id))
    if (row === undefined) throw notFound('vault', id)
    if (row.archived_ms !== null) throw new StewardError('archived', { what: 'vault', name: id })
  }
}
