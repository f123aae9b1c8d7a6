import { describe, expect, expectTypeOf, it } from 'vitest'
import { API, type Health } from '../api/index.ts'
import { StewardError } from '../errors.ts'
import type { JsonObject } from '../json.ts'
import type { RecordedError, RunStatus } from '../run.ts'
import { createDaemonClient } from './daemon-client.ts'
import { OPERATIONS } from './operations.ts'

/** A client that records its calls and gets this answer. */
const clientOf = (answer: () => Response, token?: string) => {
  const calls: { url: string; init: RequestInit }[] = []
  const client = createDaemonClient({
    base: 'http://127.0.0.1:31337/',
    fetch: async (url, init) => {
      calls.push({ url, init })
      return answer()
    },
    ...(token === undefined ? {} : { token }),
  })
  return { client, calls }
}
const ok = (body: unknown) => () => Response.json(body)

describe('the daemon client', () => {
  it('knows every operation', () => {
    expect(Object.keys(OPERATIONS)).toEqual(Object.keys(API))
  })

  it('fills paths and queries, encoded', async () => {
    const { client, calls } = clientOf(ok({}))
    await client.call('getRun', { params: { id: 'a/../b c' } })
    await client.call('listRuns', { query: { limit: 5, name: 'A & B', before: undefined } })
    expect(calls.map(({ url }) => url)).toEqual([
      'http://127.0.0.1:31337/api/runs/a%2F..%2Fb%20c',
      'http://127.0.0.1:31337/api/runs?limit=5&name=A+%26+B',
    ])
    expect(client.urlOf('streamRun', { params: { id: 'x' } })).toBe(
      'http://127.0.0.1:31337/api/runs/x/stream',
    )
  })

  it('sends JSON and the token', async () => {
    const { client, calls } = clientOf(ok({ id: 'run' }), 'secret')
    const answer = await client.call('startRun', { body: { name: 'A_X' } })
    expectTypeOf(answer).toEqualTypeOf<{
      id: string
      status?: RunStatus | undefined
      output?: JsonObject | undefined
      error?: RecordedError | undefined
    }>()
    expect(answer).toEqual({ id: 'run' })
    expect(calls[0]?.init).toEqual({
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer secret' },
      body: '{"name":"A_X"}',
    })
  })

  it('sends an array unchanged', async () => {
    const { client, calls } = clientOf(ok({ ok: true, accepted: 0, rejected: 0 }))
    await client.call('pushObservabilityEvents', { body: [{ a: 1 }] })
    expect(calls[0]?.init.body).toBe('[{"a":1}]')
  })

  it('has the types of the answers', async () => {
    const { client } = clientOf(ok({}))
    expectTypeOf(await client.call('getHealth')).toEqualTypeOf<Health>()
  })

  it('throws the error that the daemon threw', async () => {
    const body = { success: false, error: 'missing: /x', code: 'work_state_missing', path: '/x' }
    const { client } = clientOf(() => Response.json(body, { status: 503 }))
    const error = await client.call('getAlgorithm').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StewardError)
    expect(error).toMatchObject({
      code: 'work_state_missing',
      message: 'missing: /x',
      details: { path: '/x' },
    })
  })

  it('reports when another program answers, or none', async () => {
    const other = clientOf(() => new Response('<html>', { status: 502 }))
    await expect(other.client.call('getHealth')).rejects.toThrow('HTTP 502')
    const nobody = createDaemonClient({
      base: '',
      fetch: () => Promise.reject(new Error('connection refused')),
    })
    await expect(nobody.call('getHealth')).rejects.toThrow('connection refused')
  })
})
