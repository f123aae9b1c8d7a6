import type { CredentialAuthGiven, Fetch } from '@steward/contract'
import type { HostedDatabase } from '../../database/hosted-database.ts'
import { type OpenCredential, openCredentials } from '../../vaults/open-credentials.ts'
import type { RefreshOauth } from '../../vaults/refresh-oauth.ts'
import type { Seal } from '../../vaults/seal.ts'
import type { McpServer } from './mcp.ts'

export interface ServerFetchPorts {
  database: HostedDatabase
  seal: Seal
  /** Refuses private addresses; follows no redirects; answers before the body is whole. */
  fetch: Fetch
  refreshOauth: RefreshOauth
  now: () => number
}

/** What goes to one MCP server, with the session's credential for it and for no other place. */
export interface ServerFetch {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  /**
   * The same for streamable HTTP, where a stream on which the server may speak first is not opened:
   * nothing here waits for it, and each session would hold a connection.
   */
  withoutListening: ServerFetch['fetch']
  hasCredential: boolean
  /** Of the last answer. */
  status(): number | undefined
  /** The same without the credential, should a server repeat it. */
  hideSecrets<T>(value: T): T
}

/** A token that ends this soon is renewed before it is used. */
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
    // Refused before anything was done, so that the same may be asked once more.
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

/** The same address, down to its query; only a slash at its end does not count. */
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

/** Anything shorter is part of ordinary words. */
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
