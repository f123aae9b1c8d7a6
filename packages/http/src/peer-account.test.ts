import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type Connection, createPeerAccounts, systemPeerAccounts } from './peer-account.ts'

const OURS = 1000

const connection = (given: Partial<Connection> = {}): Connection => ({
  remoteAddress: '127.0.0.1',
  remotePort: 0xb6c4,
  localAddress: '127.0.0.1',
  localPort: 31337,
  ...given,
})

const row = (ends: string, uid: number, inode: number): string =>
  `   7: ${ends} 01 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 00000000b1e9014c 20 4 30 10 -1\n`

const accounts = (tables: { tcp?: string; tcp6?: string }, reasons: string[] = []) =>
  createPeerAccounts({
    platform: 'linux',
    uid: OURS,
    readTable: async (path) => (path.endsWith('6') ? tables.tcp6 : tables.tcp) ?? '',
    runLsof: async () => '',
    onUnknown: (reason) => void reasons.push(reason),
  })

describe('the account at the other end of a connection, on Linux', () => {
  const ends = '0100007F:B6C4 0100007F:7A69'

  it('is the owner of the socket that faces ours, not of ours', async () => {
    const own = row('0100007F:7A69 0100007F:B6C4', OURS, 11)
    expect(await accounts({ tcp: own + row(ends, OURS, 12) })(connection())).toBe(true)
    expect(await accounts({ tcp: own + row(ends, 1001, 12) })(connection())).toBe(false)
  })

  it('may be root, who can read the token anyway', async () => {
    expect(await accounts({ tcp: row(ends, 0, 12) })(connection())).toBe(true)
  })

  it('is unknown once the caller has closed its socket, which Linux then shows as owned by root', async () => {
    expect(await accounts({ tcp: row(ends, 0, 0) })(connection())).toBe(false)
  })

  it('is unknown when no row has both ends', async () => {
    const near = row('0100007F:B6C4 0100007F:7A6A', OURS, 12)
    expect(await accounts({ tcp: near })(connection())).toBe(false)
  })

  it('is found for IPv6, and for an IPv6 socket that calls an IPv4 address', async () => {
    const loopback = '00000000000000000000000001000000'
    const mapped = '0000000000000000FFFF00000100007F'
    const tcp6 =
      row(`${loopback}:B6C4 ${loopback}:7A69`, OURS, 12) +
      row(`${mapped}:B6C5 ${mapped}:7A69`, OURS, 13)
    const isOwn = accounts({ tcp6 })
    expect(await isOwn(connection({ remoteAddress: '::1', localAddress: '::1' }))).toBe(true)
    expect(await isOwn(connection({ remotePort: 0xb6c5 }))).toBe(true)
  })

  it('is looked up once per connection', async () => {
    let reads = 0
    const isOwn = createPeerAccounts({
      platform: 'linux',
      uid: OURS,
      readTable: async () => {
        reads++
        return row(ends, OURS, 12)
      },
      runLsof: async () => '',
      onUnknown: () => undefined,
    })
    const socket = connection()
    expect([await isOwn(socket), await isOwn(socket), reads]).toEqual([true, true, 1])
  })
})

describe('the account at the other end of a connection, elsewhere', () => {
  const lsof = (listed: string | Error, reasons: string[] = []) =>
    createPeerAccounts({
      platform: 'darwin',
      uid: OURS,
      readTable: async () => '',
      runLsof: async () => {
        if (typeof listed === 'string') return listed
        throw listed
      },
      onUnknown: (reason) => void reasons.push(reason),
    })

  it('is ours when lsof lists the socket that faces ours', async () => {
    const daemon = 'p70\nf21\nn127.0.0.1:31337->127.0.0.1:46788\n'
    const caller = 'p912\nf9\nn127.0.0.1:46788->127.0.0.1:31337\n'
    expect(await lsof(daemon + caller)(connection())).toBe(true)
    expect(await lsof(daemon)(connection())).toBe(false)
    const six = 'p912\nf9\nn[::1]:46788->[::1]:31337\n'
    const caller6 = connection({ remoteAddress: '::1', localAddress: '::1' })
    expect(await lsof(six)(caller6)).toBe(true)
  })

  it('is unknown without lsof, which is reported once', async () => {
    const reasons: string[] = []
    const isOwn = lsof(new Error('spawn lsof ENOENT'), reasons)
    expect([await isOwn(connection()), await isOwn(connection())]).toEqual([false, false])
    expect(reasons).toEqual(['spawn lsof ENOENT'])
  })
})

const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

it.runIf(process.platform === 'linux').each(['127.0.0.1', '::1'])(
  'a real connection from this process to %s is our own',
  async (host) => {
    const server = createServer()
    server.listen(0, host)
    await once(server, 'listening')
    endings.push(() => server.close())
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const client = connect(port, host)
    endings.push(() => client.destroy())
    const [accepted]: Socket[] = await once(server, 'connection')
    if (accepted === undefined) throw new Error('nothing connected')
    const reasons: string[] = []
    expect(await systemPeerAccounts((reason) => void reasons.push(reason))(accepted)).toBe(true)
    expect(reasons).toEqual([])
  },
)
