import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Anthropic from '@anthropic-ai/sdk'
import { BadRequestError, ConflictError, PermissionDeniedError } from '@anthropic-ai/sdk'
import { hostedCredential, hostedVault } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveMcp } from '../brain/mcp/testing/serve-mcp.ts'
import { query } from '../database/tx.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession } from '../sessions/testing/make-session.ts'
import { loadMasterKey } from './master-key.ts'
import { openCredentials } from './open-credentials.ts'
import { createSeal } from './seal.ts'

let server: TestApi
let vaults: Anthropic.Beta.Vaults
beforeAll(async () => {
  server = await startTestApi()
  vaults = server.client.beta.vaults
})
afterAll(() => server.stop())

const token = (secret_value: string) => ({
  type: 'environment_variable' as const,
  secret_name: 'API_TOKEN',
  secret_value,
  networking: { type: 'limited' as const, allowed_hosts: ['api.example.com'] },
})

test('secrets are write-only, sealed, and opened only for the egress', async () => {
  const vault = await vaults.create({ display_name: 'Mine' })
  hostedVault.parse(vault)
  const made = await vaults.credentials.create(vault.id, { auth: token('s3cret-one') })
  expect(hostedCredential.parse(made).auth).toEqual({
    type: 'environment_variable',
    secret_name: 'API_TOKEN',
    networking: { type: 'limited', allowed_hosts: ['api.example.com'] },
    injection_location: { header: true, body: false },
  })
  await vaults.credentials.update(made.id, {
    vault_id: vault.id,
    auth: { type: 'environment_variable', secret_value: 's3cret-two' },
  })
  const listed = await vaults.credentials.list(vault.id)
  expect(JSON.stringify(listed.data)).not.toContain('s3cret')
  const rows = await server.database.read(() => query('SELECT body, sealed FROM credentials'))
  const stored = rows.map(({ body, sealed }) => `${body}${Buffer.from(Object(sealed))}`).join()
  expect(stored).not.toContain('s3cret')
  const opened = await server.database.read(() => openCredentials([vault.id], server.ports.seal))
  expect(opened).toMatchObject([{ id: made.id, auth: { secret_value: 's3cret-two' } }])
})

test('archiving erases secrets; names are unique', async () => {
  const vault = await vaults.create({ display_name: 'Old' })
  const made = await vaults.credentials.create(vault.id, { auth: token('gone') })
  const twice = vaults.credentials.create(vault.id, { auth: token('other') })
  await expect(twice).rejects.toBeInstanceOf(ConflictError)
  await vaults.credentials.archive(made.id, { vault_id: vault.id })
  const change = vaults.credentials.update(made.id, { vault_id: vault.id, display_name: 'x' })
  await expect(change).rejects.toBeInstanceOf(ConflictError)
  await vaults.credentials.create(vault.id, { auth: token('second') })
  await vaults.archive(vault.id)
  const rows = await server.database.read(() =>
    query('SELECT sealed FROM credentials WHERE vault_id = $1', vault.id),
  )
  expect(rows.map(({ sealed }) => Object(sealed).length)).toEqual([0, 0])
  expect(await server.database.read(() => openCredentials([vault.id], server.ports.seal))).toEqual(
    [],
  )
  expect(await vaults.delete(vault.id)).toMatchObject({ type: 'vault_deleted' })
})

test('tests an OAuth credential, and reports the result', async () => {
  const mcp = await serveMcp()
  mcp.wantsToken = 'good-access-token'
  const vault = await vaults.create({ display_name: 'OAuth' })
  const tryToken = async (mcp_server_url: string, access_token: string) => {
    const auth = { type: 'mcp_oauth' as const, mcp_server_url, access_token }
    const { id } = await vaults.credentials.create(vault.id, { auth })
    return vaults.credentials.mcpOAuthValidate(id, { vault_id: vault.id })
  }
  expect(await tryToken(mcp.url, 'good-access-token')).toMatchObject({
    status: 'valid',
    mcp_probe: { method: 'initialize', http_response: { status_code: 200 } },
    refresh: null,
  })
  expect(await tryToken(`${mcp.url}?again`, 'bad-access-token')).toMatchObject({
    status: 'invalid',
    has_refresh_token: false,
    mcp_probe: { http_response: { status_code: 401, body: 'not Bearer [secret]' } },
    refresh: { status: 'no_refresh_token', http_response: null },
  })
  await mcp.close()
  expect(await tryToken(`${mcp.url}?gone`, 'good-access-token')).toMatchObject({
    status: 'unknown',
    mcp_probe: { method: 'initialize', http_response: null },
  })
  const plain = await vaults.credentials.create(vault.id, { auth: token('x') })
  await expect(
    vaults.credentials.mcpOAuthValidate(plain.id, { vault_id: vault.id }),
  ).rejects.toBeInstanceOf(BadRequestError)
})

test('a key with write permission may not access them', async () => {
  const client = server.clientWith(await server.makeKey({ scope: 'write' }))
  await expect(client.beta.vaults.create({ display_name: 'x' })).rejects.toBeInstanceOf(
    PermissionDeniedError,
  )
  expect(server.failures).toEqual([])
})

test('only an admin key starts a session with a vault or changes the agent of one', async () => {
  const vault = await vaults.create({ display_name: 'Shared' })
  const session = await makeSession(server, { vault_ids: [vault.id] })
  const writer = server.clientWith(await server.makeKey({ scope: 'write' })).beta.sessions
  const { agent, environment_id } = session
  const start = (vault_ids: string[]) =>
    writer.create({ agent: agent.id, environment_id, vault_ids })
  await expect(start([vault.id])).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining(
      'the key has the scope write and may not do this: a session with vaults needs admin',
    ),
  })
  const without = await start([])
  const change = { agent: { tools: [] } }
  await expect(writer.update(session.id, change)).rejects.toBeInstanceOf(PermissionDeniedError)
  expect((await server.client.beta.sessions.update(session.id, change)).agent.tools).toEqual([])
  expect((await writer.update(without.id, change)).agent.tools).toEqual([])
  expect((await writer.update(session.id, { title: 'New' })).title).toBe('New')
})

test('a sealed secret opens only with its key, in its place, unchanged', () => {
  const seal = createSeal(new Uint8Array(32).fill(1))
  const sealed = seal.close('secret', 'vcrd_1')
  expect(seal.open(sealed, 'vcrd_1')).toBe('secret')
  expect(seal.close('secret', 'vcrd_1')).not.toEqual(sealed)
  expect(() => seal.open(sealed, 'vcrd_2')).toThrow('cannot be decrypted')
  expect(() => createSeal(new Uint8Array(32)).open(sealed, 'vcrd_1')).toThrow('cannot be decrypted')
  const bent = Uint8Array.from(sealed, (byte, index) => (index === 30 ? byte ^ 1 : byte))
  expect(() => seal.open(bent, 'vcrd_1')).toThrow('cannot be decrypted')
  expect(() => seal.open(new Uint8Array(), 'vcrd_1')).toThrow('cannot be decrypted')
  expect(() => createSeal(new Uint8Array(5))).toThrow('needs 32')
})

test('the master key is created once, readable only by its owner, or given', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'steward-master-'))
  const path = join(folder, 'deep', 'master.key')
  const all = await Promise.all(
    Array.from({ length: 5 }, () => loadMasterKey({ given: undefined, path })),
  )
  expect(new Set(all.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const given = 'ab'.repeat(32)
  expect(Buffer.from(await loadMasterKey({ given, path })).toString('hex')).toBe(given)
  await expect(loadMasterKey({ given: 'short', path })).rejects.toThrow('32 bytes')
  await rm(folder, { recursive: true })
})
