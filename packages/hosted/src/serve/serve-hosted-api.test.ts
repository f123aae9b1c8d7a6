import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serveHostedApi } from './serve-hosted-api.ts'
import { startTestApi, type TestApi } from './testing/start-test-api.ts'

/** More than the buffers of both ends hold for a client that does not read. */
const bytes = new Uint8Array(16 * 1024 * 1024)
let started: TestApi
let fileId: string

beforeEach(async () => {
  started = await startTestApi()
  const file = new File([bytes], 'large.bin')
  fileId = (await started.client.beta.files.upload({ file })).id
})

afterEach(async () => {
  await started.stop()
})

test('a client that does not read does not delay the stop of a server', async () => {
  const server = await serveHostedApi(started.api, {
    host: '127.0.0.1',
    port: 0,
    drainMs: 20,
    setTimer: started.ports.setTimer,
  })
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write(
    `GET /v1/files/${fileId}/content HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${started.key}\r\n\r\n`,
  )
  await once(socket, 'readable')
  await server.stop()
  expect(socket.bytesRead).toBeLessThan(bytes.length)
  socket.destroy()
})
