import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  actionWorker,
  pipelineWorker,
  type RunningWorkers,
  START_LIMIT_MS,
  startWorkers,
  TOKEN,
} from '../../../edge/src/local/testing/start-workers.ts'

let workers: RunningWorkers

beforeAll(async () => {
  workers = await startWorkers([
    actionWorker('A_COUNT_WORDS', 'return { words: input.content.split(" ").length }', {
      input: { content: { type: 'string', required: true } },
      output: { words: { type: 'integer' } },
    }),
    pipelineWorker('P_COUNT_WORDS', ['A_COUNT_WORDS']),
    { ...actionWorker('A_OPEN_DOOR', 'return {}'), env: { AUTH_TOKEN: '' } },
  ])
}, START_LIMIT_MS)
afterAll(() => workers.stop())

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']
const PATHS = ['/', '/health', '/trigger', '/status', '/health/', '/nothing', '/..%2fhealth']

describe.each(['A_COUNT_WORDS', 'P_COUNT_WORDS'])('%s', (name) => {
  it('refuses calls without the token, whatever the method and path', async () => {
    const wrong = [null, '', 'x', TOKEN.slice(1), `${TOKEN}0`, TOKEN.toUpperCase(), ` ${TOKEN}x`]
    for (const method of METHODS) {
      for (const path of PATHS) {
        if (method === 'GET' && path === '/health') continue
        for (const token of wrong) {
          const response = await workers.call(name, path, { method, token })
          expect([method, path, token, response.status]).toEqual([method, path, token, 401])
        }
      }
    }
    const response = await workers.call(name, '/', { method: 'POST', token: 'x' })
    expect(await response.json()).toEqual({
      success: false,
      error: 'Unauthorized',
      code: 'unauthorized',
    })
  })

  it.each(['Basic dXNlcjpwYXNz', 'Bearer', `Token ${TOKEN}`, TOKEN, `Bearer${TOKEN}`])(
    'does not accept %s as a token',
    async (authorization) => {
      const response = await workers.call(name, '/', { method: 'POST', headers: { authorization } })
      expect(response.status).toBe(401)
    },
  )

  it('has a public health with nothing else', async () => {
    const response = await workers.call(name, '/health', { token: null })
    expect(response.status).toBe(200)
    const kind = name.startsWith('A_') ? 'action' : 'pipeline'
    const body = await response.json()
    expect(body).toEqual({ status: 'ok', [kind]: name, timestamp: expect.any(String) })
    expect(Object.keys(body)).toHaveLength(3)
  })

  it('returns 405 for everything but POST /, with the allowed method', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['PUT', '/'],
      ['POST', '/nothing'],
      ['GET', '/x'],
    ]) {
      const response = await workers.call(name, path ?? '', { method: method ?? '' })
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(await response.json()).toMatchObject({ success: false, code: 'method_not_allowed' })
    }
    const health = await workers.call(name, '/health', { method: 'POST' })
    expect([health.status, health.headers.get('allow')]).toEqual([405, 'GET'])
  })

  it('reports the position of a mistake in the JSON, and the type found instead of an object', async () => {
    const send = async (body: BodyInit) => {
      const response = await workers.call(name, '/', { method: 'POST', body })
      return { status: response.status, body: await response.json() }
    }
    expect(await send('{"content": 1,\n "b": }')).toMatchObject({
      status: 400,
      body: { code: 'invalid_json', error: expect.stringContaining('line 2, column 7') },
    })
    expect(await send('')).toMatchObject({ status: 400, body: { code: 'invalid_json' } })
    expect(await send('[1]')).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', error: expect.stringContaining('found array') },
    })
    expect(await send(new Uint8Array([0xff, 0xfe, 0x7b]))).toMatchObject({
      status: 400,
      body: { code: 'invalid_json', error: expect.stringContaining('UTF-8') },
    })
  })

  it('refuses a body that is too large, with or without a length', async () => {
    const large = new Uint8Array(LIMITS.inputBytes + 1).fill(0x20)
    const announced = await workers.call(name, '/', { method: 'POST', body: large })
    expect(announced.status).toBe(413)
    const init = { method: 'POST', body: new Blob([large]).stream(), duplex: 'half' }
    const streamed = await workers.call(name, '/', init)
    expect(streamed.status).toBe(413)
    expect(await streamed.json()).toMatchObject({ code: 'payload_too_large' })
  })

  it('answers any invalid request with an error of the table', async () => {
    const rubbish = fc.oneof(
      fc.string(),
      fc.json(),
      fc.uint8Array().map((bytes) => bytes.slice()),
    )
    await fc.assert(
      fc.asyncProperty(rubbish, async (body) => {
        const response = await workers.call(name, '/', { method: 'POST', body })
        const answer = await response.json()
        expect([200, 400]).toContain(response.status)
        expect(answer.success).toBe(response.status === 200)
      }),
      { numRuns: 150 },
    )
  })
})

it('refuses all calls when the token is empty', async () => {
  for (const token of ['', ' ', 'undefined', null]) {
    const response = await workers.call('A_OPEN_DOOR', '/', { method: 'POST', token, body: '{}' })
    expect(response.status).toBe(401)
  }
})

it('runs', async () => {
  expect(await workers.post('A_COUNT_WORDS', { content: 'a b', other: 1 })).toEqual({
    status: 200,
    body: {
      success: true,
      action: 'A_COUNT_WORDS',
      duration_ms: expect.any(Number),
      output: { content: 'a b', other: 1, words: 2 },
    },
  })
})
