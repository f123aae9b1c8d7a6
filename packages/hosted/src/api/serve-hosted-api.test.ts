import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { serveHostedApi } from './serve-hosted-api.ts'
import { startTestApi } from './testing/start-test-api.ts'

test('a client that takes nothing does not hold a server that stops', async () => {
  const { api, client, key, stop } = await startTestApi()
  const bytes = new Uint8Array(32 * 1024 * 1024)
  const { id } = await client.beta.files.upload({ file: new File([bytes], 'large.bin') })
  const server = await serveHostedApi(api, { host: '127.0.0.1', port: 0, patienceMs: 20 })
  const socket = connect(Number(new URL(server.address).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  socket.write(
    `GET /v1/files/${id}/content HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n\r\n`,
  )
  await once(socket, 'readable')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await server.stop()
  socket.resume()
  await closed
  expect(socket.bytesRead).toBeLessThan(bytes.length)
  await stop()
})
