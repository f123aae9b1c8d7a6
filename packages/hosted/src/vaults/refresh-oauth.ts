import {
  type CredentialAuthGiven,
  type Fetch,
  publicAuth,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { z } from 'zod'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { execute, type Tx } from '../database/tx.ts'
import { type OpenCredential, openAuth, sealAuth } from './open-credentials.ts'
import type { Seal } from './seal.ts'
import { getCredential } from './stored-credential.ts'

export interface RefreshPorts {
  database: HostedDatabase
  seal: Seal
  /** Reads the whole response, within limits. */
  fetch: Fetch
  now: () => number
}

/** The result of requesting a new token. */
export interface Refreshed {
  status: 'succeeded' | 'failed' | 'connect_error' | 'no_refresh_token'
  /** The current credential; absent if there is no new token. */
  auth?: CredentialAuthGiven
  /**
   * Status and type of the token endpoint's response; its body is not kept, because it contains
   * tokens.
   */
  answer?: { status: number; contentType: string }
}

/** Requests a new access token for `credential` and stores it sealed. */
export type RefreshOauth = (credential: OpenCredential) => Promise<Refreshed>

type Oauth = Extract<CredentialAuthGiven, { type: 'mcp_oauth' }>
type Refresh = NonNullable<Oauth['refresh']>

const granted = z.object({
  access_token: z.string().min(1).max(65_536),
  expires_in: z.coerce.number().positive().optional(),
  refresh_token: z.string().min(1).max(65_536).optional(),
})

export const createRefreshOauth = (ports: RefreshPorts): RefreshOauth => {
  // A refresh token can often be used only once, so sessions that share a credential wait for each
  // other.
  const running = new Map<string, Promise<Refreshed>>()
  return (credential) => {
    const known = running.get(credential.id)
    if (known !== undefined) return known
    const work = refresh(credential, ports).finally(() => running.delete(credential.id))
    running.set(credential.id, work)
    return work
  }
}

const refresh = async (credential: OpenCredential, ports: RefreshPorts): Promise<Refreshed> => {
  const { database, now } = ports
  const stored = await database.read(() => readOauth(credential, ports.seal))
  if (stored === undefined) return { status: 'no_refresh_token' }
  if (isNewer(stored, credential.auth)) return { status: 'succeeded', auth: stored }
  if (!stored.refresh) return { status: 'no_refresh_token' }
  const asked = await askForToken(stored.refresh, ports.fetch)
  if (asked.token === undefined) {
    // Another process may have used the refresh token first.
    const after = await database.read(() => readOauth(credential, ports.seal))
    return after !== undefined && isNewer(after, credential.auth)
      ? { status: 'succeeded', auth: after }
      : asked.refreshed
  }
  const { access_token, expires_in, refresh_token } = asked.token
  const auth: Oauth = {
    ...stored,
    access_token,
    expires_at: expires_in === undefined ? null : new Date(now() + expires_in * 1000).toISOString(),
    refresh: { ...stored.refresh, refresh_token: refresh_token ?? stored.refresh.refresh_token },
  }
  await database.write(() => keep(credential, auth, ports.seal, now()))
  return { ...asked.refreshed, auth }
}

const isNewer = (stored: Oauth, used: CredentialAuthGiven): boolean =>
  used.type === 'mcp_oauth' && stored.access_token !== used.access_token

function* readOauth({ id, vaultId }: OpenCredential, seal: Seal): Tx<Oauth | undefined> {
  const row = yield* getCredential({ vault_id: vaultId, credential_id: id })
  if (row.archivedMs !== null) return undefined
  const auth = openAuth(seal, row)
  return auth.type === 'mcp_oauth' ? auth : undefined
}

function* keep({ id, vaultId }: OpenCredential, auth: Oauth, seal: Seal, nowMs: number): Tx<void> {
  const row = yield* getCredential({ vault_id: vaultId, credential_id: id }, 'hold')
  // The credential was archived meanwhile, so its secrets are deleted.
  if (row.archivedMs !== null) return
  yield* execute(
    'UPDATE credentials SET body = $2, sealed = $3, updated_ms = $4 WHERE id = $1',
    id,
    JSON.stringify({ ...row.body, auth: publicAuth(auth) }),
    sealAuth(seal, id, auth),
    nowMs,
  )
}

interface AskedForToken {
  refreshed: Refreshed
  token?: z.infer<typeof granted>
}

const askForToken = async (given: Refresh, fetch: Fetch): Promise<AskedForToken> => {
  const { token_endpoint_auth: proof, client_id } = given
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: given.refresh_token,
    ...(proof.type === 'client_secret_basic' ? {} : { client_id }),
    ...(proof.type === 'client_secret_post' ? { client_secret: proof.client_secret } : {}),
    ...(given.resource ? { resource: given.resource } : {}),
    ...(given.scope ? { scope: given.scope } : {}),
  })
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(proof.type === 'client_secret_basic'
      ? { authorization: basic(client_id, proof.client_secret) }
      : {}),
  }
  let response: Response
  try {
    response = await fetch(given.token_endpoint, {
      method: 'POST',
      headers,
      body: form.toString(),
      redirect: 'error',
    })
  } catch (thrown) {
    if (thrown instanceof StewardError) return { refreshed: { status: 'connect_error' } }
    throw new StewardError('internal', { reason: reasonOf(thrown) }, thrown)
  }
  const contentType = response.headers.get('content-type') ?? ''
  const answer = { status: response.status, contentType }
  const token = response.ok ? granted.safeParse(await readJson(response)).data : undefined
  return token === undefined
    ? { refreshed: { status: 'failed', answer } }
    : { refreshed: { status: 'succeeded', answer }, token }
}

const readJson = async (response: Response): Promise<unknown> => {
  try {
    return await response.json()
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}

/** Both parts are form-encoded, as OAuth requires. */
const basic = (id: string, secret: string): string => {
  const pair = [id, secret].map((part) => new URLSearchParams({ part }).toString().slice(5))
  return `Basic ${Buffer.from(pair.join(':')).toString('base64')}`
}
