import { StewardError } from '../errors.ts'
import { fail, ok, type Result } from '../result.ts'
import type {
  CredentialAuth,
  CredentialAuthGiven,
  CredentialAuthUpdate,
} from './credential-auth.ts'

/**
 * The public part of a credential. Fields are listed explicitly so that a field added later is not
 * exposed by accident.
 */
export const publicAuth = (auth: CredentialAuthGiven): CredentialAuth => {
  if (auth.type === 'static_bearer') {
    return { type: auth.type, mcp_server_url: auth.mcp_server_url }
  }
  if (auth.type === 'environment_variable') {
    const { header = true, body = false } = auth.injection_location ?? {}
    const { type, secret_name, networking } = auth
    return { type, secret_name, networking, injection_location: { header, body } }
  }
  const { type, mcp_server_url, expires_at = null, refresh } = auth
  return {
    type,
    mcp_server_url,
    expires_at,
    refresh: refresh
      ? {
          client_id: refresh.client_id,
          token_endpoint: refresh.token_endpoint,
          token_endpoint_auth: { type: refresh.token_endpoint_auth.type },
          resource: refresh.resource ?? null,
          scope: refresh.scope ?? null,
        }
      : null,
  }
}

/** Returns the credential, or an error if it could never be injected into a request. */
export const checkAuth = (auth: CredentialAuthGiven): Result<CredentialAuthGiven> => {
  const shown = publicAuth(auth)
  if (shown.type !== 'environment_variable') return ok(auth)
  const { header, body } = shown.injection_location
  return header || body ? ok(auth) : refuse('auth.injection_location', 'enable header or body')
}

/** A credential after an update: its type, its purpose and omitted fields are kept. */
export const applyCredentialUpdate = (
  before: CredentialAuthGiven,
  update: CredentialAuthUpdate,
): Result<CredentialAuthGiven> => {
  if (before.type === 'static_bearer' && update.type === 'static_bearer') {
    return ok({ ...before, token: update.token ?? before.token })
  }
  if (before.type === 'environment_variable' && update.type === 'environment_variable') {
    return checkAuth({
      ...before,
      secret_value: update.secret_value ?? before.secret_value,
      networking: update.networking ?? before.networking,
      injection_location: { ...before.injection_location, ...update.injection_location },
    })
  }
  if (before.type === 'mcp_oauth' && update.type === 'mcp_oauth') return applyOauth(before, update)
  return refuse('auth.type', `a credential of type ${before.type} cannot become ${update.type}`)
}

type Oauth = Extract<CredentialAuthGiven, { type: 'mcp_oauth' }>
type OauthUpdate = Extract<CredentialAuthUpdate, { type: 'mcp_oauth' }>

const applyOauth = (before: Oauth, update: OauthUpdate): Result<CredentialAuthGiven> => {
  const next: Oauth = {
    ...before,
    access_token: update.access_token ?? before.access_token,
    expires_at: update.expires_at === undefined ? before.expires_at : update.expires_at,
  }
  if (update.refresh === undefined) return ok(next)
  if (update.refresh === null) return ok({ ...next, refresh: null })
  const { refresh } = before
  if (!refresh) return refuse('auth.refresh', 'the credential was created without refresh')
  const { refresh_token, scope, token_endpoint_auth: given } = update.refresh
  const old = refresh.token_endpoint_auth
  const client_secret =
    given?.client_secret ?? (old.type === 'none' ? undefined : old.client_secret)
  if (given && client_secret === undefined) {
    return refuse(
      'auth.refresh.token_endpoint_auth.client_secret',
      'there is no stored secret to keep',
    )
  }
  return ok({
    ...next,
    refresh: {
      ...refresh,
      refresh_token: refresh_token ?? refresh.refresh_token,
      scope: scope === undefined ? refresh.scope : scope,
      token_endpoint_auth:
        given && client_secret !== undefined ? { type: given.type, client_secret } : old,
    },
  })
}

const refuse = (field: string, reason: string) =>
  fail(new StewardError('invalid_input', { subject: field, field, reason }))
