import { createConnection } from 'node:net'
import { BETA_FAMILIES, hostedErrorBody } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'

let server: TestApi
beforeAll(async () => {
  server = await startTestApi()
})
afterAll(async () => {
  expect(server.failures).toEqual([])
  await server.stop()
})

/** Sends the exact text and returns everything that came back. */
const tell = (words: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.address)
    let heard = ''
    const socket = createConnection(Number(port), hostname, () => socket.end(words))
    socket.on('data', (chunk: Uint8Array) => {
      heard += Buffer.from(chunk).toString()
    })
    socket.once('close', () => resolve(heard))
    socket.once('error', reject)
  })

const known = () =>
  `host: localhost\r\nx-api-key: ${server.key}\r\nanthropic-beta: ${BETA_FAMILIES.agents}\r\n`
const head = (line: string, ...headers: string[]): string =>
  `${line}\r\n${known()}${headers.map((each) => `${each}\r\n`).join('')}connection: close\r\n\r\n`
const POST = 'POST /v1/agents HTTP/1.1'

test.each<[string, () => string]>([
  ['no HTTP', () => 'hello there\r\n\r\n'],
  ['another protocol', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03'],
  ['an invalid version', () => head('GET /v1/agents HTTP/9.9')],
  ['an invalid method', () => head('FETCH /v1/agents HTTP/1.1')],
  ['no host', () => 'GET /v1/agents HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['two hosts', () => head('GET /v1/agents HTTP/1.1', 'host: other')],
  ['an invalid host', () => 'GET /v1/agents HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n'],
  ['no path', () => head('GET * HTTP/1.1')],
  ['a path with bytes in it', () => head('GET /v1/agents/\x01\x7f HTTP/1.1')],
  ['headers without end', () => head('GET /v1/agents HTTP/1.1', `x: ${'x'.repeat(70_000)}`)],
  ['a line break in a header', () => head('GET /v1/agents HTTP/1.1', 'x: a\rb')],
  ['two lengths', () => `${head(POST, 'content-length: 2', 'content-length: 3')}{}}`],
  ['a negative length', () => `${head(POST, 'content-length: -1')}{}`],
  [
    'a length and pieces',
    () => `${head(POST, 'content-length: 2', 'transfer-encoding: chunked')}{}`,
  ],
  [
    'a chunk without a length',
    () => `${head(POST, 'transfer-encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
  ],
  [
    'chunks that are not JSON',
    () => `${head(POST, 'transfer-encoding: chunked')}1\r\n{\r\n0\r\n\r\n`,
  ],
  ['an expectation', () => `${head(POST, 'expect: miracles', 'content-length: 2')}{}`],
  ['a packed body', () => `${head(POST, 'content-encoding: gzip', 'content-length: 2')}{}`],
])('%s is answered with a 4xx and the envelope', async (_, words) => {
  const heard = await tell(words())
  const [top = '', text = ''] = heard.split('\r\n\r\n')
  expect(top).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(top.toLowerCase()).toContain('content-type: application/json')
  const body = hostedErrorBody.parse(JSON.parse(text))
  expect(top.toLowerCase()).toContain(`request-id: ${body.request_id.toLowerCase()}`)
})

test.each<[string, () => string]>([
  ['nothing', () => ''],
  ['half a line', () => 'GET /v1/ag'],
  ['half a body', () => `${head(POST, 'content-length: 100')}{"name":`],
  ['half a piece', () => `${head(POST, 'transfer-encoding: chunked')}ff\r\n{"name":`],
])('%s and then no more is let go', async (_, words) => {
  await tell(words())
  const health = await fetch(`${server.address}/health`)
  expect(health.status).toBe(200)
})
