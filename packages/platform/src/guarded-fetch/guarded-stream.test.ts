import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { createGuardedStream } from './guarded-stream.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return `127.0.0.1:${address.port}`
}

describe('createGuardedStream', () => {
  it('answers before the body is whole, and cancelling ends the connection', async () => {
    const gone = Promise.withResolvers<void>()
    const host = await serve((request, response) => {
      response.once('close', () => gone.resolve())
      response.write(`${request.method} first`)
    })
    const stream = createGuardedStream({ allowPrivateHosts: [host] })
    const answer = await stream(`http://${host}/`, { method: 'POST', body: 'x' })
    const reader = answer.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    expect(new TextDecoder().decode(value)).toBe('POST first')
    await reader?.cancel()
    await gone.promise
  })

  it('refuses private addresses, by name and literally, and other protocols', async () => {
    const host = await serve((_, response) => response.end('secret'))
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }]
    const stream = createGuardedStream({ lookup })
    await expect(stream(`http://${host}/`)).rejects.toThrow('this machine itself')
    const port = host.split(':')[1]
    await expect(stream(`http://inside.test:${port}/`)).rejects.toThrow('refused to connect')
    await expect(stream('file:///etc/passwd')).rejects.toThrow('only http and https')
  })

  it('follows no redirect and stops a body that is too large', async () => {
    const host = await serve((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: '/else' }).end()
      else response.end('x'.repeat(100))
    })
    const stream = createGuardedStream({ allowPrivateHosts: [host], bodyBytes: 50 })
    const away = await stream(`http://${host}/away`)
    expect([away.status, away.headers.get('location')]).toEqual([302, '/else'])
    const large = await stream(`http://${host}/`)
    await expect(large.text()).rejects.toThrow('50')
  })
})
