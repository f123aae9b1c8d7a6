import type { CredentialAuthGiven, Fetch } from '@steward/contract'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import { type OpenCredential, openCredentials } from '../../vaults/open-credentials.ts'
import type { RefreshOauth } from '../../vaults/refresh-oauth.ts'
import type { Seal } from '../../vaults/seal.ts'
import type { McpServer } from './mcp.ts'

export interface ServerFetchPorts {
  database: HostedDatabase
  seal: Seal
  /** Refuses private addresses, follows no redirects, and resolves before the body is complete. */
  fetch: Fetch
  refreshOauth: RefreshOauth
  now: () => number
}

/** Sends requests to one MCP server, with the session's credential for that server only. */
export interface ServerFetch {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /**
   * The same for streamable HTTP, but refuses to open the server's push stream: nothing here waits
   * for it, and each session would hold a connection.
   */
  withoutListening: ServerFetch['fetch']
  hasCredential: boolean
  /** The status of the last response. */
  status(): number | undefined
  /** Masks the credential, in case a server repeats it. */
  hideSecrets<T>(value: T): T
}

/** A token that expires this soon is renewed before use. */
const EARLY_MS = 30_000

export const createServerFetch = async (
  { url }: McpServer,
  vaultIds: readonly string[],
  { database, seal, fetch, refreshOauth, now }: ServerFetchPorts,
): Promise<ServerFetch> => {
  const origin = new URL(url).origin
  const opened = await database.read(() => openCredentials(vaultIds, seal))
  let credential = opened.find(({ auth }) => isMeantFor(auth, url))
  const secrets = new Set<string>()
  let status: number | undefined

  const renew = async (): Promise<boolean> => {
    if (credential === undefined) return false
    const renewed = await refreshOauth(credential)
    if (renewed.auth === undefined) return false
    credential = { ...credential, auth: renewed.auth }
    return true
  }
  const send = async (target: URL, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    const token = credential === undefined ? undefined : tokenOf(credential)
    if (token !== undefined && target.origin === origin) {
      secrets.add(token)
      headers.set('authorization', `Bearer ${token}`)
    }
    const answer = await fetch(target, { ...init, headers })
    status = answer.status
    return answer
  }
  const ask: ServerFetch['fetch'] = async (given, init = {}) => {
    const target = new URL(given)
    if (credential !== undefined && endsBefore(credential.auth, now() + EARLY_MS)) await renew()
    const answer = await send(target, init)
    // A 401 has no side effects, so the same request may be sent again.
    if (answer.status !== 401 || !(await renew())) return answer
    await answer.body?.cancel()
    return send(target, init)
  }
  return {
    fetch: ask,
    withoutListening: async (given, init = {}) => {
      const listens = init.method === 'GET' && !new Headers(init.headers).has('last-event-id')
      return listens ? new Response(null, { status: 405 }) : ask(given, init)
    },
    hasCredential: credential !== undefined,
    status: () => status,
    hideSecrets: (value) => hide(value, secrets),
  }
}

/** Compares the whole address including the query; only a trailing slash is ignored. */
const isMeantFor = (auth: CredentialAuthGiven, url: string): boolean =>
  auth.type !== 'environment_variable' && spell(auth.mcp_server_url) === spell(url)

const spell = (address: string): string => {
  const { origin, pathname, search } = new URL(address)
  return `${origin}${pathname.replace(/\/$/, '')}${search}`
}

const tokenOf = ({ auth }: OpenCredential): string | undefined => {
  if (auth.type === 'static_bearer') return auth.token
  return auth.type === 'mcp_oauth' ? auth.access_token : undefined
}

const endsBefore = (auth: CredentialAuthGiven, ms: number): boolean =>
  auth.type === 'mcp_oauth' && Boolean(auth.expires_at) && Date.parse(auth.expires_at ?? '') < ms

/** Masking shorter secrets would hit ordinary words. */
const SECRET_CHARS = 8

const hide = <T>(value: T, secrets: ReadonlySet<string>): T => {
  const told = [...secrets].filter(({ length }) => length >= SECRET_CHARS)
  if (told.length === 0) return value
  const hidden = told.reduce(
    (text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), '[secret]'),
    JSON.stringify(value),
  )
  return JSON.parse(hidden)
}
