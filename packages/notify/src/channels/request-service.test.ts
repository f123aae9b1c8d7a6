import { once } from 'node:events'
import { createServer } from 'node:net'
import { isJsonObject } from '@steward/contract'
import { expect, test } from 'vitest'
import { type HttpPorts, postToService } from './request-service.ts'
import { serveHttp } from './testing/serve-http.ts'

const PORTS: HttpPorts = {
  fetch: (address, init) => fetch(address, init),
  abortAfter: AbortSignal.timeout,
}

const post = (address: string, ports: HttpPorts = PORTS) =>
  postToService(
    { service: 'the service', address, headers: {}, body: 'x', meanings: { 404: 'gone' } },
    ports,
  )

test.each([
  [401, 'not_configured', false, false],
  [403, 'not_configured', false, false],
  [404, 'not_configured', false, false],
  [301, 'not_configured', false, false],
  [400, 'rejected_content', false, false],
  [413, 'rejected_content', false, false],
  [408, 'upstream_failed', true, false],
  [429, 'rate_limited', true, false],
  [500, 'upstream_failed', true, true],
  [502, 'upstream_failed', true, true],
  [503, 'upstream_failed', true, false],
])(
  'HTTP %i is %s, tried again: %s, may have arrived: %s',
  async (status, code, retryable, isUncertain) => {
    const service = await serveHttp()
    service.answer = { status, headers: { location: `${service.address}/elsewhere` } }
    const outcome = await post(`${service.address}/secret-path`)
    expect(outcome).toMatchObject({ state: 'failed', error: { code, retryable } })
    expect('isUncertain' in outcome).toBe(isUncertain)
    expect(JSON.stringify(outcome)).not.toContain('secret-path')
    expect(service.posts).toHaveLength(1)
  },
)

test.each([
  ['7', 7000],
  ['0.3', 300],
  ['99999999', 3_600_000],
  ['soon', undefined],
  ['-5', undefined],
])('Retry-After %s', async (text, retryAfterMs) => {
  const service = await serveHttp()
  service.answer = { status: 429, headers: { 'retry-after': text } }
  const outcome = await post(service.address)
  expect(outcome.state === 'failed' && outcome.retryAfterMs).toBe(retryAfterMs)
})

test('a service that hangs is left after its time', async () => {
  const service = await serveHttp()
  service.answer = { status: 200, hang: true }
  const controller = new AbortController()
  const asked: number[] = []
  const outcome = await post(service.address, {
    fetch: async (address, init) => {
      const answer = fetch(address, init)
      await expect.poll(() => service.posts.length).toBe(1)
      controller.abort()
      return answer
    },
    abortAfter: (delayMs) => {
      asked.push(delayMs)
      return controller.signal
    },
  })
  expect(asked).toEqual([5000])
  expect(outcome).toMatchObject({
    state: 'failed',
    error: { code: 'timeout', retryable: true },
    isUncertain: true,
  })
})

/** The address of a server that has just closed. */
const closedAddress = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${isJsonObject(address) ? address.port : 0}`
}

test('no server, half an answer, an invalid name: reported without the address', async () => {
  const nothing = await post(`${await closedAddress()}/secret-path`)
  expect(nothing).toMatchObject({
    state: 'failed',
    error: { message: expect.stringContaining('ECONNREFUSED'), retryable: true },
  })
  expect(nothing).not.toHaveProperty('isUncertain')
  const server = createServer((socket) => socket.once('data', () => socket.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const bound = server.address()
  const broken = await post(`http://127.0.0.1:${isJsonObject(bound) ? bound.port : 0}/secret-path`)
  server.close()
  expect(broken).toMatchObject({
    error: { message: expect.stringContaining('was closed'), retryable: true },
    isUncertain: true,
  })
  const odd = await post('http://127.0.0.1/secret-path', {
    ...PORTS,
    fetch: () => Promise.reject(new TypeError('Failed to parse URL from secret-path')),
  })
  expect(JSON.stringify([nothing, broken, odd])).not.toContain('secret-path')
})
