import type { CredentialAuthGiven, CredentialValidation, Fetch } from '@steward/contract'
import { StewardError } from '@steward/contract'
import type { OpenCredential } from './open-credentials.ts'
import type { Refreshed, RefreshOauth } from './refresh-oauth.ts'

/** The result of testing a credential. */
type OauthTrial = Pick<CredentialValidation, 'status' | 'mcp_probe' | 'refresh'>

/**
 * Initialises the MCP server of an OAuth credential with it; a rejected token is refreshed once.
 */
export type TryOauth = (credential: OpenCredential) => Promise<OauthTrial>

export interface TryOauthPorts {
  /** Reads the whole response, within limits; refuses private addresses. */
  fetch: Fetch
  refreshOauth: RefreshOauth
}

type Probe = NonNullable<CredentialValidation['mcp_probe']>
type Oauth = Extract<CredentialAuthGiven, { type: 'mcp_oauth' }>

export const createTryOauth =
  ({ fetch, refreshOauth }: TryOauthPorts): TryOauth =>
  async (credential) => {
    const { auth } = credential
    if (auth.type !== 'mcp_oauth') return { status: 'unknown', mcp_probe: null, refresh: null }
    const first = await probe(auth, fetch)
    if (!isRefused(first)) return { status: statusOf(first), mcp_probe: first, refresh: null }
    const refreshed = await refreshOauth(credential)
    const refresh = toRefresh(refreshed)
    if (refreshed.auth?.type !== 'mcp_oauth') {
      // An unreachable token endpoint says nothing about the credential.
      const status = refreshed.status === 'connect_error' ? 'unknown' : 'invalid'
      return { status, mcp_probe: first, refresh }
    }
    const second = await probe(refreshed.auth, fetch)
    return { status: statusOf(second), mcp_probe: second, refresh }
  }

const GREETING = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'steward', version: '5' },
  },
}

const probe = async ({ mcp_server_url, access_token }: Oauth, fetch: Fetch): Promise<Probe> => {
  const headers = {
    authorization: `Bearer ${access_token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
  }
  try {
    const body = JSON.stringify(GREETING)
    const answer = await fetch(mcp_server_url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
    })
    return { method: GREETING.method, http_response: await toShown(answer, access_token) }
  } catch (thrown) {
    if (thrown instanceof StewardError) return { method: GREETING.method, http_response: null }
    throw thrown
  }
}

const SHOWN_CHARS = 2048

const toShown = async (answer: Response, secret: string) => {
  const body = (await answer.text()).replaceAll(secret, '[secret]')
  return {
    status_code: answer.status,
    content_type: answer.headers.get('content-type') ?? '',
    body: body.slice(0, SHOWN_CHARS),
    body_truncated: body.length > SHOWN_CHARS,
  }
}

const isRefused = ({ http_response }: Probe): boolean =>
  http_response?.status_code === 401 || http_response?.status_code === 403

const statusOf = (tried: Probe): OauthTrial['status'] => {
  if (isRefused(tried)) return 'invalid'
  const status = tried.http_response?.status_code ?? 0
  return status >= 200 && status < 300 ? 'valid' : 'unknown'
}

const toRefresh = ({ status, answer }: Refreshed): CredentialValidation['refresh'] => ({
  status,
  http_response: answer
    ? {
        status_code: answer.status,
        content_type: answer.contentType,
        body: '',
        body_truncated: false,
      }
    : null,
})
