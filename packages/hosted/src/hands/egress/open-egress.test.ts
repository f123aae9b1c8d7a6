import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { EgressCredential } from '../hands.ts'
import { createDial } from './dial.ts'
import type { Egress, EgressDecision, EgressOptions } from './egress.ts'
import { openEgress } from './open-egress.ts'
import { askThrough, openTunnelTo } from './testing/ask-through.ts'
import { type StandInHost, startStandInHost } from './testing/stand-in-host.ts'

const SECRET = 'sk-live-"quoted"+and/slashed=9271'
const credential = (more: Partial<EgressCredential> = {}): EgressCredential => ({
  name: 'API_TOKEN',
  secret: SECRET,
  allowedHosts: ['api.test', '*.deep.test'],
  inject: { header: true, body: false },
  ...more,
})
const limited = (...allowedHosts: string[]) =>
  ({ type: 'limited', allowedHosts, allowPackageManagers: false, mcpHosts: [] }) as const

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const echo: RequestListener = async (incoming, response) => {
  const body = await text(incoming)
  response.setHeader('x-seen', incoming.headers.authorization ?? '')
  response.end(JSON.stringify({ headers: incoming.headers, body }))
}

const open = async (options: Partial<EgressOptions> = {}, answer: RequestListener = echo) => {
  const host = await startStandInHost(answer)
  closing.push(host.close)
  const decisions: EgressDecision[] = []
  const egress = await openEgress({
    sessionId: 'sess_1',
    networking: { type: 'unrestricted' },
    dial: host.dial,
    upstreamCa: [host.ca],
    onDecision: (decision) => decisions.push(decision),
    ...options,
  })
  closing.push(egress.close)
  return { egress, host, decisions, inside: await trustedInside(egress) }
}

/** What a program in the sandbox trusts: the certificates named by its environment. */
const trustedInside = async ({ env, folder }: Egress): Promise<string[]> => {
  const file = env.SSL_CERT_FILE
  if (file === undefined) return []
  const pem = await readFile(`${folder}/${file.split('/').at(-1)}`, 'utf8')
  return [pem]
}

const lastSeen = (host: StandInHost): IncomingMessage => {
  const last = host.seen.at(-1)
  if (last === undefined) throw new Error('the host was not asked')
  return last
}

describe('requests through the proxy', () => {
  it('tunnels an allowed host untouched: the program sees the real certificate', async () => {
    const { egress, host, decisions } = await open({ networking: limited('other.test') })
    const { status } = await askThrough(egress, 'https://other.test/path?q=1', { ca: [host.ca] })
    expect(status).toBe(200)
    expect(lastSeen(host).url).toBe('/path?q=1')
    expect(decisions).toEqual([
      {
        sessionId: 'sess_1',
        host: 'other.test',
        port: 443,
        way: 'tunnel',
        allowed: true,
        reason: 'allowed_hosts',
        credentials: [],
      },
    ])
  })

  it('refuses hosts that are not listed, with a reason', async () => {
    const { egress, host, decisions } = await open({ networking: limited('other.test') })
    const refused = await askThrough(egress, 'https://evil.test/')
    expect(refused.status).toBe(403)
    expect(refused.text).toContain("evil.test is not among this environment's allowed hosts")
    expect((await askThrough(egress, 'http://evil.test/?token=x')).status).toBe(403)
    expect((await openTunnelTo(egress, 'other.test:22')).status).toBe(403)
    expect(host.dialled).toEqual([])
    expect(decisions.map(({ host: name, port, allowed }) => [name, port, allowed])).toEqual([
      ['evil.test', 443, false],
      ['evil.test', 80, false],
      ['other.test', 22, false],
    ])
    expect(JSON.stringify(decisions)).not.toContain('token')
  })

  it.each([
    'https://127.0.0.1/',
    'https://localhost/',
    'http://[::1]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://metadata.test/',
    'http://0x7f.1/',
    'http://10.0.0.7/',
  ])('unrestricted or not, %s is refused when it is dialled', async (address) => {
    const inner: Record<string, string> = {
      localhost: '127.0.0.1',
      'metadata.test': '169.254.169.254',
    }
    const { egress, decisions } = await open({
      dial: createDial({
        lookup: async (name) => [{ address: inner[name] ?? '127.0.0.1', family: 4 }],
      }),
    })
    const { status, text: said } = await askThrough(egress, address)
    expect(status).toBe(403)
    expect(said).toContain('refused to connect')
    expect(decisions).toMatchObject([{ allowed: false }])
  })

  it.each([
    'https://me.test/',
    'https://8.8.4.4/',
    'https://[::ffff:8.8.4.4]/',
    'https://[64:ff9b::808:404]/',
  ])('refuses this machine also by its own public address: %s', async (address) => {
    const { egress } = await open({
      dial: createDial({
        lookup: async () => [{ address: '8.8.4.4', family: 4 }],
        ownAddresses: () => ['8.8.4.4'],
      }),
    })
    const { status, text: said } = await askThrough(egress, address)
    expect([status, said]).toEqual([403, expect.stringContaining('this machine itself')])
  })

  it('is not a web server', async () => {
    const { egress } = await open()
    const asked = request({ socketPath: `${egress.folder}/proxy.sock`, path: '/etc/passwd' }).end()
    const [answer] = await once(asked, 'response')
    expect(answer.statusCode).toBe(403)
    answer.resume()
  })

  it('ends open connections when it closes, and leaves no file', async () => {
    const { egress, host } = await open()
    const { socket } = await openTunnelTo(egress, 'other.test:443')
    expect(host.dialled).toEqual(['other.test:443'])
    const ended = once(socket, 'close')
    await closing.pop()?.()
    await ended
    expect(existsSync(egress.folder)).toBe(false)
  })
})

describe('limits', () => {
  it('limits the number of connections', async () => {
    const { egress, decisions } = await open({ limits: { connections: 1 } })
    const { socket } = await openTunnelTo(egress, 'other.test:443')
    await expect(openTunnelTo(egress, 'other.test:443')).rejects.toThrow(/hang up|ECONNRESET|EPIPE/)
    expect(decisions.at(-1)).toMatchObject({
      allowed: false,
      reason: 'more than 1 connections at a time',
    })
    socket.destroy()
  })

  it('ends a connection at the limit of bytes', async () => {
    const { egress, host } = await open({ limits: { bytes: 50_000 } }, (_, response) => {
      response.end(Buffer.alloc(100_000))
    })
    await expect(askThrough(egress, 'https://other.test/', { ca: [host.ca] })).rejects.toThrow(
      /aborted|hang up|ECONNRESET|EPIPE|disconnected/,
    )
  })

  it('ends an idle tunnel', async () => {
    const { egress } = await open({ limits: { idleMs: 20 } })
    const { socket } = await openTunnelTo(egress, 'other.test:443')
    await once(socket, 'close')
    expect(socket.destroyed).toBe(true)
  })
})

describe('secrets', () => {
  const placeholderIn = ({ env }: Egress): string => env.API_TOKEN ?? ''

  it('are inserted into headers only at their hosts', async () => {
    const { egress, host, decisions, inside } = await open({ credentials: [credential()] })
    const placeholder = placeholderIn(egress)
    const headers = { authorization: `Bearer ${placeholder}` }
    const ask = (address: string, ca: readonly string[]) =>
      askThrough(egress, address, { headers, ca })

    expect((await ask('https://api.test/', inside)).status).toBe(200)
    expect(lastSeen(host).headers.authorization).toBe(`Bearer ${SECRET}`)
    await ask('https://a.b.deep.test/', inside)
    expect(lastSeen(host).headers.authorization).toBe(`Bearer ${SECRET}`)
    await ask('https://other.test/', [host.ca])
    expect(lastSeen(host).headers.authorization).toBe(`Bearer ${placeholder}`)

    expect(decisions.map(({ way, credentials }) => [way, credentials])).toEqual([
      ['terminated', ['API_TOKEN']],
      ['terminated', ['API_TOKEN']],
      ['tunnel', []],
    ])
    expect(JSON.stringify(decisions)).not.toContain('sk-live')
    expect(JSON.stringify(egress.env)).not.toContain('sk-live')
  })

  it('are never sent unencrypted', async () => {
    const seen: IncomingMessage[] = []
    const plain = createServer((incoming, response) => {
      seen.push(incoming)
      response.end('plain')
    }).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    closing.push(async () => {
      plain.close()
    })
    const address = plain.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const { egress } = await open({
      credentials: [credential()],
      dial: async () => {
        const socket = connectTcp(port, '127.0.0.1')
        await once(socket, 'connect')
        return socket
      },
    })
    const headers = { authorization: placeholderIn(egress) }
    expect((await askThrough(egress, 'http://api.test/x', { headers })).text).toBe('plain')
    expect(seen[0]?.headers.authorization).toBe(placeholderIn(egress))
    expect(seen[0]?.headers.host).toBe('api.test')
  })

  it('are inserted into basic authentication, as git and curl send it', async () => {
    const { egress, host, inside } = await open({ credentials: [credential()] })
    const encode = (plain: string) => `Basic ${Buffer.from(plain).toString('base64')}`
    const headers = { authorization: encode(`user:${placeholderIn(egress)}`) }
    const answered = await askThrough(egress, 'https://api.test/', { headers, ca: inside })
    expect(lastSeen(host).headers.authorization).toBe(encode(`user:${SECRET}`))
    expect(answered.text).not.toContain(encode(`user:${SECRET}`).slice(6))
  })

  it('are masked in headers and bodies that return them', async () => {
    const { egress, inside } = await open({ credentials: [credential()] })
    const headers = { authorization: `Bearer ${placeholderIn(egress)}` }
    const answered = await askThrough(egress, 'https://api.test/', { headers, ca: inside })
    expect(answered.headers['x-seen']).toBe(`Bearer ${placeholderIn(egress)}`)
    expect(JSON.parse(answered.text).headers.authorization).toBe(headers.authorization)
  })

  it('are masked in a response that is compressed without being asked for', async () => {
    const { egress, inside } = await open({ credentials: [credential()] }, (_, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync(`token is ${SECRET}`))
    })
    const answered = await askThrough(egress, 'https://api.test/', { ca: inside })
    expect(answered.text).toBe(`token is ${placeholderIn(egress)}`)
    expect(answered.headers['content-encoding']).toBeUndefined()
  })

  it('a response in an unknown encoding is refused, not passed on unread', async () => {
    const { egress, inside } = await open({ credentials: [credential()] }, (_, response) => {
      response.setHeader('content-encoding', 'rot13')
      response.end('grfg')
    })
    const answered = await askThrough(egress, 'https://api.test/', { ca: inside })
    expect([answered.status, answered.text]).toEqual([502, expect.stringContaining('rot13')])
  })

  it.each([
    [
      'application/json',
      (placeholder: string) => `{"key":"${placeholder}"}`,
      JSON.stringify({ key: SECRET }),
    ],
    [
      'application/x-www-form-urlencoded',
      (placeholder: string) => `key=${placeholder}`,
      `key=${encodeURIComponent(SECRET)}`,
    ],
    ['text/plain', (placeholder: string) => placeholder, SECRET],
  ])('are inserted into a body of %s when that is allowed', async (type, write, expected) => {
    const received: string[] = []
    const { egress, inside } = await open(
      { credentials: [credential({ inject: { header: false, body: true } })] },
      async (incoming, response) => {
        received.push(await text(incoming))
        response.end()
      },
    )
    const asked = {
      method: 'POST',
      ca: inside,
      body: write(placeholderIn(egress)),
      headers: { 'content-type': type, 'x-key': placeholderIn(egress) },
    }
    await askThrough(egress, 'https://api.test/', asked)
    await askThrough(egress, 'https://api.test/', {
      ...asked,
      headers: { ...asked.headers, 'transfer-encoding': 'chunked' },
    })
    expect(received).toEqual([expected, expected])
  })

  it('are not inserted into bodies or headers where that is not allowed', async () => {
    const { egress, host, inside } = await open({
      credentials: [credential({ inject: { header: false, body: false } })],
    })
    const placeholder = placeholderIn(egress)
    const { text: said } = await askThrough(egress, 'https://api.test/', {
      method: 'PUT',
      headers: { 'x-key': placeholder },
      body: placeholder,
      ca: inside,
    })
    expect(lastSeen(host).headers['x-key']).toBe(placeholder)
    expect(JSON.parse(said).body).toBe(placeholder)
  })

  it('a connection for one host carries no request for another', async () => {
    const { egress, host, inside } = await open({ credentials: [credential()] })
    const headers = { host: 'other.test', authorization: placeholderIn(egress) }
    const answered = await askThrough(egress, 'https://api.test/', { headers, ca: inside })
    expect(answered.status).toBe(403)
    expect(host.seen).toEqual([])
  })

  it('do not make a host reachable that the environment blocks', async () => {
    const { egress, host } = await open({
      credentials: [credential()],
      networking: limited('other.test'),
    })
    expect((await askThrough(egress, 'https://api.test/')).status).toBe(403)
    expect(host.dialled).toEqual([])
  })

  it('are not sent to a host with an untrusted certificate', async () => {
    const { egress, host, inside } = await open({ credentials: [credential()], upstreamCa: [] })
    const headers = { authorization: placeholderIn(egress) }
    const answered = await askThrough(egress, 'https://api.test/', { headers, ca: inside })
    expect(answered.status).toBe(502)
    expect(host.seen).toEqual([])
  })

  it('keep their placeholder between sandboxes, and differ by session and name', async () => {
    const of = async (sessionId: string, name: string) => {
      const { egress } = await open({ sessionId, credentials: [credential({ name })] })
      return egress.env[name]
    }
    const first = await of('sess_1', 'A')
    expect(await of('sess_1', 'A')).toBe(first)
    expect(new Set([first, await of('sess_1', 'B'), await of('sess_2', 'A')]).size).toBe(3)
  })

  it('with line breaks are refused, without being shown', async () => {
    const bad = credential({ secret: 'one\r\nHost: evil' })
    const opened = openEgress({
      sessionId: 'sess_1',
      networking: { type: 'unrestricted' },
      credentials: [bad],
    })
    await expect(opened).rejects.toThrow(/^credential API_TOKEN: its secret is empty or has/)
  })

  it('large responses pass complete and in time', async () => {
    const big = Buffer.alloc(3_000_000, 'sk-live-')
    const { egress, inside } = await open({ credentials: [credential()] }, (_, response) => {
      response.end(big)
    })
    const { text: said } = await askThrough(egress, 'https://api.test/', { ca: inside })
    const hash = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(hash(said)).toBe(hash(big))
  })

  it('are inserted into the upgrade headers of a WebSocket', async () => {
    const { egress, host, inside } = await open({ credentials: [credential()] })
    const asked: Array<string | undefined> = []
    host.server.on('upgrade', (incoming, socket) => {
      asked.push(incoming.headers.authorization)
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: echo\r\n\r\n',
      )
      socket.pipe(socket)
    })
    const { socket } = await openTunnelTo(egress, 'api.test:443')
    const secured = connect({ socket, servername: 'api.test', ca: inside })
    const upgrading = request({
      createConnection: () => secured,
      headers: {
        host: 'api.test',
        connection: 'Upgrade',
        upgrade: 'echo',
        authorization: placeholderIn(egress),
      },
    }).end()
    const [, stream] = await once(upgrading, 'upgrade')
    stream.write('ping')
    const [heard] = await once(stream, 'data')
    expect(heard.toString()).toBe('ping')
    expect(asked).toEqual([SECRET])
    stream.destroy()
  })
})
