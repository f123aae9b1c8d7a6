import {
  applyCredentialUpdate,
  applyMetadataPatch,
  type CredentialAuth,
  checkAuth,
  findMetadataFault,
  HOSTED_API,
  publicAuth,
  StewardError,
  unwrap,
} from '@steward/contract'
import { changes, type Handler, opens, reads } from '../api/handler.ts'
import { readPage } from '../api/page.ts'
import { invalid } from '../api/refusal.ts'
import { createWhere } from '../api/where.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { toInstant } from '../database/instant.ts'
import { execute, query, type Tx } from '../database/tx.ts'
import { createId } from '../ids/create-id.ts'
import { openAuth, sealAuth } from './open-credentials.ts'
import type { Seal } from './seal.ts'
import {
  CREDENTIAL_COLUMNS,
  type CredentialBody,
  type CredentialPlace,
  eraseSecrets,
  getCredential,
  type StoredCredential,
  toHostedCredential,
  toStoredCredential,
} from './stored-credential.ts'
import { getVault } from './stored-vault.ts'
import type { TryOauth } from './try-oauth.ts'

const SOURCE = {
  select: `SELECT ${CREDENTIAL_COLUMNS} FROM credentials`,
  timeColumn: 'created_ms',
  timeName: 'created_ms',
  idColumn: 'id',
}

export interface CredentialPorts {
  database: HostedDatabase
  seal: Seal
  /** Tests an OAuth credential at its MCP server. */
  tryOauth: TryOauth
}

/** Credentials of a vault: secrets are write-only. */
export const createCredentialHandlers = ({
  database,
  seal,
  tryOauth,
}: CredentialPorts): readonly Handler[] => [
  changes(HOSTED_API.createCredential, function* ({ params, body }, { nowMs }) {
    const vault = yield* getVault(params.vault_id, 'hold')
    if (vault.archivedMs !== null)
      throw new StewardError('archived', { what: 'vault', name: vault.id })
    const auth = unwrap(checkAuth(body.auth))
    yield* checkUnique(vault.id, publicAuth(auth))
    const id = createId('vcrd')
    const kept: CredentialBody = {
      display_name: body.display_name ?? null,
      metadata: body.metadata ?? {},
      auth: publicAuth(auth),
    }
    yield* execute(
      `INSERT INTO credentials (id, vault_id, body, sealed, created_ms, updated_ms)
       VALUES ($1, $2, $3, $4, $5, $5)`,
      id,
      vault.id,
      JSON.stringify(kept),
      sealAuth(seal, id, auth),
      nowMs,
    )
    return toHostedCredential(yield* getCredential({ vault_id: vault.id, credential_id: id }))
  }),
  reads(HOSTED_API.getCredential, function* ({ params }) {
    return toHostedCredential(yield* getCredential(params))
  }),
  reads(HOSTED_API.listCredentials, function* ({ params, query }) {
    const vault = yield* getVault(params.vault_id)
    const where = createWhere()
    where.add('vault_id = ?', vault.id)
    if (!query.include_archived) where.add('archived_ms IS NULL')
    const page = yield* readPage(SOURCE, where, { ...query, order: 'desc' })
    return {
      data: page.rows.map((row) => toHostedCredential(toStoredCredential(row))),
      next_page: page.next_page,
    }
  }),
  changes(HOSTED_API.updateCredential, function* ({ params, body }, { nowMs }) {
    const before = yield* getOpenCredential(params, 'hold')
    const metadata = applyMetadataPatch(before.body.metadata, body.metadata)
    const fault = findMetadataFault(metadata)
    if (fault !== undefined) throw invalid('metadata', fault, 'invalid_metadata')
    const secret = openAuth(seal, before)
    const updated = body.auth === undefined ? undefined : applyCredentialUpdate(secret, body.auth)
    if (updated?.ok === false) throw updated.error
    const auth = updated?.value ?? secret
    const next: StoredCredential = {
      ...before,
      updatedMs: nowMs,
      sealed: sealAuth(seal, before.id, auth),
      body: {
        display_name:
          body.display_name === undefined ? before.body.display_name : body.display_name,
        metadata,
        auth: publicAuth(auth),
      },
    }
    yield* execute(
      'UPDATE credentials SET body = $2, sealed = $3, updated_ms = $4 WHERE id = $1',
      next.id,
      JSON.stringify(next.body),
      next.sealed,
      nowMs,
    )
    return toHostedCredential(next)
  }),
  changes(HOSTED_API.archiveCredential, function* ({ params }, { nowMs }) {
    const { id } = yield* getCredential(params, 'hold')
    yield* eraseSecrets({ id }, nowMs)
    return toHostedCredential(yield* getCredential(params))
  }),
  changes(HOSTED_API.deleteCredential, function* ({ params }) {
    const { id } = yield* getCredential(params, 'hold')
    yield* execute('DELETE FROM credentials WHERE id = $1', id)
    return { id, type: 'vault_credential_deleted' as const }
  }),
  opens(HOSTED_API.validateCredential, async ({ params }, { nowMs }) => {
    const { credential, auth } = await database.read(function* () {
      const found = yield* getOpenCredential(params, 'look')
      return { credential: found, auth: openAuth(seal, found) }
    })
    if (auth.type !== 'mcp_oauth')
      throw invalid('the credential', `it is of type ${auth.type}; only mcp_oauth can be validated`)
    const { id, vaultId } = credential
    return {
      type: 'vault_credential_validation' as const,
      credential_id: id,
      vault_id: vaultId,
      has_refresh_token: Boolean(auth.refresh),
      ...(await tryOauth({ id, vaultId, auth })),
      validated_at: toInstant(nowMs),
    }
  }),
]

function* getOpenCredential(place: CredentialPlace, hold: 'hold' | 'look'): Tx<StoredCredential> {
  const credential = yield* getCredential(place, hold)
  if (credential.archivedMs !== null)
    throw new StewardError('archived', { what: 'credential', name: credential.id })
  return credential
}

/** Two secrets for the same place would be ambiguous. */
function* checkUnique(vaultId: string, auth: CredentialAuth): Tx<void> {
  const rows = yield* query(
    `SELECT ${CREDENTIAL_COLUMNS} FROM credentials WHERE vault_id = $1 AND archived_ms IS NULL`,
    vaultId,
  )
  const target = targetOf(auth)
  if (rows.some((row) => targetOf(toStoredCredential(row).body.auth) === target))
    throw new StewardError('already_exists', { subject: `a credential for ${target}`, hint: '' })
}

const targetOf = (auth: CredentialAuth): string =>
  auth.type === 'environment_variable' ? auth.secret_name : auth.mcp_server_url
