import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type CredentialAuthGiven,
  credentialAuth,
  credentialAuthGiven,
  credentialAuthUpdate,
} from './credential-auth.ts'
import { applyCredentialUpdate, checkAuth, publicAuth } from './credential-change.ts'

const SECRET = 'S3CRET-VALUE'
const oauth = {
  type: 'mcp_oauth',
  mcp_server_url: 'https://mcp.example.com/',
  access_token: SECRET,
  refresh: {
    client_id: 'me',
    refresh_token: SECRET,
    token_endpoint: 'https://example.com/token',
    token_endpoint_auth: { type: 'client_secret_post', client_secret: SECRET },
  },
}
const bearer = { type: 'static_bearer', mcp_server_url: 'https://a.example.com/', token: SECRET }
const variable = {
  type: 'environment_variable',
  secret_name: 'API_TOKEN',
  secret_value: SECRET,
  networking: { type: 'limited', allowed_hosts: ['*.example.com'] },
}
const all = [oauth, bearer, variable].map((auth) => credentialAuthGiven.parse(auth))

const change = (before: CredentialAuthGiven, update: object) =>
  applyCredentialUpdate(before, credentialAuthUpdate.parse(update))

test.each(all)('the public form of $type is complete and contains no secret', (auth) => {
  const shown = publicAuth(auth)
  expect(credentialAuth.parse(shown)).toEqual(shown)
  expect(JSON.stringify(shown)).not.toContain(SECRET)
  expect(change(auth, { type: auth.type })).toMatchObject({ ok: true, value: auth })
})

test('an update cannot change the type', () => {
  fc.assert(
    fc.property(fc.constantFrom(...all), fc.constantFrom(...all), (before, other) => {
      const { ok } = change(before, { type: other.type })
      expect(ok).toBe(before.type === other.type)
    }),
  )
})

test('a new secret replaces the old one and keeps its purpose', () => {
  const [first, , third] = all
  if (!first || !third) throw new Error('no credential')
  expect(change(first, { type: 'mcp_oauth', access_token: 'new', refresh: null })).toMatchObject({
    value: { access_token: 'new', refresh: null, mcp_server_url: oauth.mcp_server_url },
  })
  const update = {
    type: 'mcp_oauth',
    refresh: { token_endpoint_auth: { type: 'client_secret_basic' } },
  }
  expect(change(first, update)).toMatchObject({
    value: {
      refresh: { token_endpoint_auth: { type: 'client_secret_basic', client_secret: SECRET } },
    },
  })
  expect(change(third, { type: third.type, injection_location: { header: false } }).ok).toBe(false)
  const moved = change(third, {
    type: third.type,
    injection_location: { header: false, body: true },
  })
  expect(moved.ok && checkAuth(moved.value).ok).toBe(true)
})
