import { request } from 'node:http'
import { BETA_FAMILIES, HOSTED_API, hostedErrorBody } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listKeys, revokeKey } from '../keys/keys.ts'
import { startTestApi, type TestApi } from './testing/start-test-api.ts'

let server: TestApi
beforeAll(async () => {
  server = await startTestApi({ limits: { bodyBytes: 4096, fileBytes: 4096, streams: 2 } })
})
afterAll(() => server.stop())

const beta = BETA_FAMILIES.agents
const ask = (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) =>
  fetch(`${server.address}${path}`, {
    ...init,
    headers: { 'x-api-key': server.key, 'anthropic-beta': beta, ...headers },
  })
const errorOf = async (response: Response) => {
  const body = hostedErrorBody.parse(await response.json())
  expect(body.request_id).toBe(response.headers.get('request-id'))
  return { status: response.status, ...body.error }
}

/** Sends a body without a length and returns the response's status. */
const postInPieces = (body: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-api-key': server.key, 'anthropic-beta': beta }
    const sent = request(`${server.address}/v1/agents`, { method: 'POST', headers })
    sent.once('response', (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.once('error', reject)
    sent.write(body.slice(0, 10))
    sent.end(body.slice(10))
  })

/** `fetch` does not let a caller set `Host`. */
const askWithHost = (host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host, 'x-api-key': server.key, 'anthropic-beta': beta }
    const sent = request(`${server.address}/v1/agents`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.once('error', reject)
    sent.end()
  })

describe('every route of the contract', () => {
  test.each(Object.entries(HOSTED_API))('%s is served', async (_, route) => {
    const response = await fetch(
      `${server.address}${route.path.replaceAll(/:\w+/g, 'nothing_there')}`,
      {
        method: route.method,
      },
    )
    expect(await errorOf(response)).toMatchObject({ status: 401, type: 'authentication_error' })
  })
})

describe('keys', () => {
  test('are accepted as bearer and as x-api-key', async () => {
    const bearer = await fetch(`${server.address}/v1/agents`, {
      headers: { authorization: `Bearer ${server.key}`, 'anthropic-beta': `x, ${beta}` },
    })
    expect(bearer.status).toBe(200)
    expect((await ask('/v1/agents')).status).toBe(200)
  })

  test('are refused if missing, unknown, expired or revoked', async () => {
    const none = await fetch(`${server.address}/v1/agents`)
    expect(none.status).toBe(401)
    const unknown = await ask('/v1/agents', {}, { 'x-api-key': 'sk-steward-nothing' })
    expect(unknown.status).toBe(401)
    const short = await server.makeKey({ expiresMs: server.clock.nowMs + 1000 })
    expect((await ask('/v1/agents', {}, { 'x-api-key': short })).status).toBe(200)
    server.clock.nowMs += 1000
    expect((await ask('/v1/agents', {}, { 'x-api-key': short })).status).toBe(401)
    const secret = await server.makeKey({ name: 'soon revoked' })
    const keys = await server.database.read(() => listKeys())
    const id = keys.find(({ name }) => name === 'soon revoked')?.id ?? ''
    expect((await ask('/v1/agents', {}, { 'x-api-key': secret })).status).toBe(200)
    await server.database.write(() => revokeKey(id, server.clock.nowMs))
    server.clock.nowMs += 2000
    expect((await ask('/v1/agents', {}, { 'x-api-key': secret })).status).toBe(401)
  })

  test('are revoked within seconds, also when the clock is set back', async () => {
    const secret = await server.makeKey({ name: 'revoked' })
    expect((await ask('/v1/agents', {}, { 'x-api-key': secret })).status).toBe(200)
    const keys = await server.database.read(() => listKeys())
    const id = keys.find(({ name }) => name === 'revoked')?.id ?? ''
    await server.database.write(() => revokeKey(id, server.clock.nowMs))
    server.clock.nowMs -= 3_600_000
    expect((await ask('/v1/agents', {}, { 'x-api-key': secret })).status).toBe(401)
  })

  test('are stored only as hashes', async () => {
    const secret = await server.makeKey()
    const keys = await server.database.read(() => listKeys())
    expect(JSON.stringify(keys)).not.toContain(secret)
    expect(secret).toMatch(/^sk-steward-[\w-]{43}$/)
  })

  test('of scope read may read and not write', async () => {
    const key = { 'x-api-key': await server.makeKey({ scope: 'read' }) }
    expect((await ask('/v1/agents', {}, key)).status).toBe(200)
    const refused = await ask('/v1/agents', { method: 'POST', body: '{}' }, key)
    expect(await errorOf(refused)).toMatchObject({ status: 403, type: 'permission_error' })
    expect((await ask('/v1/steward/status', {}, key)).status).toBe(200)
  })

  test('of an environment give access only to its own queue', async () => {
    const create = async (name: string) => {
      const body = JSON.stringify({ name, config: { type: 'self_hosted' } })
      const made = await ask('/v1/environments', { method: 'POST', body })
      return String((await made.json()).id)
    }
    const own = await create('own')
    const other = await create('other')
    const key = { 'x-api-key': await server.makeKey({ scope: 'environment', environmentId: own }) }
    expect((await ask(`/v1/environments/${own}/work/stats`, {}, key)).status).toBe(200)
    expect((await ask(`/v1/environments/${other}/work/stats`, {}, key)).status).toBe(403)
    expect((await ask('/v1/agents', {}, key)).status).toBe(403)
    expect((await ask('/v1/steward/status', {}, key)).status).toBe(403)
  })
})

describe('invalid calls', () => {
  test('a gated route without its header does not exist, and says what to send', async () => {
    const response = await ask('/v1/agents', {}, { 'anthropic-beta': 'other-2026' })
    const error = await errorOf(response)
    expect(error).toMatchObject({ status: 404, type: 'not_found_error' })
    expect(error.message).toContain(beta)
    expect((await ask('/v1/files', {}, { 'anthropic-beta': '' })).status).toBe(200)
    expect((await ask('/v1/steward/sessions', {}, { 'anthropic-beta': '' })).status).toBe(200)
  })

  test('an unknown path, an unknown method, HEAD', async () => {
    expect(await errorOf(await ask('/v1/moons'))).toMatchObject({ status: 404 })
    // A part of the vendor's API that is missing here.
    expect(await errorOf(await ask('/v1/dreams'))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
    })
    const wrong = await ask('/v1/agents', { method: 'DELETE' })
    expect(wrong.headers.get('allow')).toBe('POST, GET')
    expect(await errorOf(wrong)).toMatchObject({ status: 405, type: 'invalid_request_error' })
    expect((await ask('/v1/agents', { method: 'HEAD' })).status).toBe(405)
  })

  test.each([
    ['no JSON', '{"name":', 'not valid JSON'],
    ['not an object', '[]', 'must be an object'],
    ['an unknown field', '{"name":"a","model":"m","colour":1}', 'colour'],
    ['a missing field', '{"name":"a"}', 'model'],
    ['bytes that are not text', new Uint8Array([0x22, 0xff, 0x22]), 'UTF-8'],
  ])('%s', async (_, body, said) => {
    const error = await errorOf(await ask('/v1/agents', { method: 'POST', body }))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
    expect(error.message).toContain(said)
  })

  test('rejects a body that is too large, with or without a length', async () => {
    const body = JSON.stringify({ name: 'a', model: 'm', system: 'x'.repeat(5000) })
    const error = await errorOf(await ask('/v1/agents', { method: 'POST', body }))
    expect(error).toMatchObject({ status: 413, type: 'request_too_large' })
    expect(await postInPieces(body)).toBe(413)
  })

  test('unknown query keys are ignored, known ones are validated', async () => {
    expect((await ask('/v1/agents?beta=true&colour=red&limit=5')).status).toBe(200)
    const error = await errorOf(await ask('/v1/agents?limit=0'))
    expect(error).toMatchObject({ status: 400 })
    expect(await errorOf(await ask('/v1/agents?page=nonsense'))).toMatchObject({ status: 400 })
  })

  test('web pages and foreign host names are refused before a key is checked', async () => {
    const page = await ask('/v1/agents', {}, { origin: 'https://example.com' })
    expect(await errorOf(page)).toMatchObject({ status: 403, type: 'permission_error' })
    const site = await ask('/v1/agents', {}, { 'sec-fetch-site': 'cross-site' })
    expect(site.status).toBe(403)
    expect(await askWithHost('evil.example')).toBe(403)
    expect(await askWithHost('localhost:1234')).toBe(200)
  })

  test('malformed ids give 404', async () => {
    for (const id of ['%00', 'a%20b', '..%2f..', 'agent_x', 'ü'.repeat(200)])
      expect((await ask(`/v1/agents/${id}`)).status).toBe(404)
  })
})

describe('retries of a call', () => {
  const create = (headers: Record<string, string>, name = 'twice') =>
    ask('/v1/agents', { method: 'POST', body: JSON.stringify({ name, model: 'm' }) }, headers)

  test('with an Idempotency-Key run once, and the key is refused for another call', async () => {
    const first = await (await create({ 'idempotency-key': 'one' })).json()
    const second = await (await create({ 'idempotency-key': 'one' })).json()
    expect(second).toEqual(first)
    const other = await create({ 'idempotency-key': 'one' }, 'another')
    expect(await errorOf(other)).toMatchObject({ status: 400 })
    const later = await (await create({ 'idempotency-key': 'two' })).json()
    expect(later.id).not.toBe(first.id)
  })

  test('long after the response are new calls, however many responses wait for cleanup', async () => {
    const calls = Array.from({ length: 30 }, (_, count) => `many ${count}`)
    for (const call of calls) await create({ 'idempotency-key': call })
    const last = { 'idempotency-key': calls.at(-1) ?? '' }
    const before = await (await create(last)).json()
    server.clock.nowMs += 24 * 60 * 60 * 1000
    expect((await (await create(last)).json()).id).not.toBe(before.id)
  })

  test('of the official client run once, within a short time', async () => {
    const first = await (await create({ 'x-stainless-retry-count': '0' })).json()
    const retried = await (await create({ 'x-stainless-retry-count': '1' })).json()
    expect(retried.id).toBe(first.id)
    const meant = await (await create({ 'x-stainless-retry-count': '0' })).json()
    expect(meant.id).not.toBe(first.id)
    server.clock.nowMs += 61_000
    const late = await (await create({ 'x-stainless-retry-count': '1' })).json()
    expect(late.id).not.toBe(meant.id)
  })

  test('a failed call is not remembered', async () => {
    const headers = { 'idempotency-key': 'fails first' }
    const wrong = await ask('/v1/environments/env_none', { method: 'POST', body: '{}' }, headers)
    expect(wrong.status).toBe(404)
    expect((await create(headers)).status).toBe(200)
  })
})

test('health is public and minimal; the status requires a key', async () => {
  const health = await fetch(`${server.address}/health`)
  expect(await health.json()).toEqual({ status: 'ok' })
  expect(health.headers.get('request-id')).toMatch(/^req_/)
  const status = await (await ask('/v1/steward/status')).json()
  expect(status).toMatchObject({
    engine: server.database.engine,
    hands: { isolated: true },
    streams: 0,
  })
  expect((await fetch(`${server.address}/v1/steward/status`)).status).toBe(401)
})

test('none of these reported an internal error', () => {
  expect(server.failures).toEqual([])
})
