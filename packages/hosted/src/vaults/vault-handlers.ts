import { applyMetadataPatch, findMetadataFault, HOSTED_API, StewardError } from '@steward/contract'
import { changes, type Handler, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { invalid } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import { execute } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { eraseSecrets } from './stored-credential.ts'
import { getVault, toHostedVault, toStoredVault, VAULT_COLUMNS } from './stored-vault.ts'

const SOURCE = {
  select: `SELECT ${VAULT_COLUMNS} FROM vaults`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export const vaultHandlers: readonly Handler[] = [
  changes(HOSTED_API.createVault, function* ({ body }, { nowMs }) {
    const id = createId('vlt')
    yield* execute(
      'INSERT INTO vaults (id, body, created_ms, updated_ms) VALUES ($1, $2, $3, $3)',
      id,
      JSON.stringify({ display_name: body.display_name, metadata: body.metadata ?? {} }),
      nowMs,
    )
    return toHostedVault(yield* getVault(id))
  }),
  reads(HOSTED_API.getVault, function* ({ params }) {
    return toHostedVault(yield* getVault(params.vault_id))
  }),
  reads(HOSTED_API.listVaults, function* ({ query }) {
    const where = createWhere()
    if (!query.include_archived) where.add('archived_ms IS NULL')
    const page = yield* readPage(SOURCE, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toHostedVault(toStoredVault(row))),
      next_page: page.next_page,
    }
  }),
  changes(HOSTED_API.updateVault, function* ({ params, body }, { nowMs }) {
    const vault = yield* getVault(params.vault_id, 'hold')
    if (vault.archivedMs !== null)
      throw new StewardError('archived', { what: 'vault', name: vault.id })
    const metadata = applyMetadataPatch(vault.body.metadata, body.metadata)
    const fault = findMetadataFault(metadata)
    if (fault !== undefined) throw invalid('metadata', fault, 'invalid_metadata')
    const next = { display_name: body.display_name ?? vault.body.display_name, metadata }
    yield* execute(
      'UPDATE vaults SET body = $2, updated_ms = $3 WHERE id = $1',
      vault.id,
      JSON.stringify(next),
      nowMs,
    )
    return toHostedVault({ ...vault, body: next, updatedMs: nowMs })
  }),
  changes(HOSTED_API.archiveVault, function* ({ params }, { nowMs }) {
    const vault = yield* getVault(params.vault_id, 'hold')
    if (vault.archivedMs !== null) return toHostedVault(vault)
    yield* execute(
      'UPDATE vaults SET archived_ms = $2, updated_ms = $2 WHERE id = $1',
      vault.id,
      nowMs,
    )
    yield* eraseSecrets({ vaultId: vault.id }, nowMs)
    return toHostedVault({ ...vault, archivedMs: nowMs, updatedMs: nowMs })
  }),
  changes(HOSTED_API.deleteVault, function* ({ params }) {
    const { id } = yield* getVault(params.vault_id, 'hold')
    yield* execute('DELETE FROM credentials WHERE vault_id = $1', id)
    yield* execute('DELETE FROM vaults WHERE id = $1', id)
    return { id, type: 'vault_deleted' as const }
  }),
]
