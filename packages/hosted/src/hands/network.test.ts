import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_PACKAGES } from '@steward/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createHands } from './create-hands.ts'
import { createDial, createResolve, type Dial } from './egress/dial.ts'
import type { EgressDecision } from './egress/egress.ts'
import type { Hands, HandsSession, Networking } from './hands.ts'
import { createProvisionSession } from './mounts/provision-session.ts'
import { createPackageCache } from './packages/package-cache.ts'

/** A public address that this test lets lead to its own server. */
const PUBLIC_ADDRESS = '93.184.216.34'

let home = ''
let hands: Hands
let line: Server
let linePort = 0
let gitPort = 0
let git: ReturnType<typeof spawn> | undefined
/** Connections that arrived on this machine's loopback and must not have. */
let trespasses = 0
const decisions: EgressDecision[] = []

const portOf = (server: Server): number =>
  z.object({ port: z.number() }).parse(server.address()).port

const listen = async (server: Server, port = 0): Promise<Server> => {
  server.listen(port, '0.0.0.0')
  await once(server, 'listening')
  return server
}

/** Names of the test; all of them lead to this machine or to addresses that must be refused. */
const NAMES: Record<string, string[]> = {
  'line.test': ['127.0.0.1'],
  'git.test': ['127.0.0.1'],
  'loopback.test': ['127.0.0.1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'zero.test': ['0.0.0.0'],
  'private.test': ['10.0.0.7', '192.168.1.1'],
  'metadata.test': ['169.254.169.254'],
  'carrier.test': ['100.64.0.1'],
  'ula.test': ['fd00:ec2::254'],
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'network-'))
  line = await listen(
    createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.write('220 line.test ready\n')
      socket.on('data', (bytes) => socket.write(`you said ${bytes}`))
    }),
  )
  linePort = portOf(line)
  const free = await listen(createServer())
  gitPort = portOf(free)
  free.close()
  await startGit()
  const lookup = async (name: string) => {
    const found = NAMES[name]
    if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  const trusted = [
    { host: 'line.test', port: linePort },
    { host: 'git.test', port: gitPort },
  ]
  const guarded = createDial({ lookup, trusted })
  const dial: Dial = async (host, port, timeoutMs) => {
    if (host !== PUBLIC_ADDRESS) return guarded(host, port, timeoutMs)
    const socket = connect({ port: linePort, host: '127.0.0.1', allowHalfOpen: true })
    await once(socket, 'connect')
    return socket
  }
  hands = await createHands({
    home,
    surround: createProvisionSession({
      packageCache: createPackageCache({
        ...{ folder: join(home, 'packages'), maxBytes: Infinity, maxIdleMs: Infinity },
      }),
      onError: (_, error) => {
        throw new Error(error.message)
      },
      onDecision: (decision) => decisions.push(decision),
      reach: { dial, resolve: createResolve({ lookup, trusted }) },
    }),
  })
}, 60_000)

const startGit = async (): Promise<void> => {
  const repository = join(home, 'git', 'sample')
  mkdirSync(repository, { recursive: true })
  const run = (...args: string[]) => execFileSync('git', args, { cwd: repository })
  run('init', '--quiet')
  run('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '--quiet', '--allow-empty', '-m', 'x')
  const base = `--base-path=${join(home, 'git')}`
  const args = ['daemon', '--export-all', '--reuseaddr', `--port=${gitPort}`, base]
  git = spawn('git', [...args, '--listen=127.0.0.1'], { stdio: 'ignore' })
}

afterAll(async () => {
  await hands?.close()
  git?.kill()
  line.close()
  rmSync(home, { recursive: true, force: true })
})

const sessionWith = (id: string, networking: Networking): HandsSession => ({
  ...{ id, networking, packages: NO_PACKAGES, mounts: [], credentials: [] },
})
const open = sessionWith('sess_open', { type: 'unrestricted' })
const limited = (id: string, ...allowedHosts: string[]): HandsSession =>
  sessionWith(id, { type: 'limited', allowedHosts, allowPackageManagers: false, mcpHosts: [] })

let calls = 0
const bash = async (session: HandsSession, command: string) => {
  calls += 1
  const call = { id: `sevt_${calls}`, name: 'bash', input: { command }, config: {} }
  const { content } = await hands.execute(session, call, AbortSignal.timeout(60_000))
  return content.map((each) => (each.type === 'text' ? each.text : '')).join('\n')
}

/** Prints what a server says first, or how the connection failed. */
const greet = (host: string, port: number) =>
  `timeout 10 bash -c 'exec 3<>/dev/tcp/${host}/${port} && head -n 1 <&3' 2>&1; echo "exit $?"`

describe.runIf(process.platform === 'linux')('DNS and TCP in a sandbox', () => {
  it('work where the test command could install what they need', () => {
    expect(hands.describe()).toMatchObject({ network: 'tcp' })
  })

  it('resolve names, and answer unknown ones at once', async () => {
    const said = await bash(open, 'getent ahosts line.test; getent hosts nothing.test; echo $?')
    expect(said).toMatch(/^198\.18\.\d+\.\d+\s+STREAM line\.test/)
    expect(said).toMatch(/^2$/m)
  })

  it('carry any protocol, by name and by address', async () => {
    expect(await bash(open, greet('line.test', linePort))).toContain('220 line.test ready')
    expect(await bash(open, greet(PUBLIC_ADDRESS, 6379))).toContain('220 line.test ready')
    const spoken = `exec 3<>/dev/tcp/line.test/${linePort}; read -u 3 _; echo hello >&3; read -u 3 said; echo "$said"`
    expect(await bash(open, spoken)).toContain('you said hello')
  })

  it('clone a repository over the protocol of git', async () => {
    const url = `git://git.test:${gitPort}/sample`
    const said = await bash(open, `git clone ${url} cloned 2>&1 && git -C cloned log --oneline`)
    expect(said).toMatch(/^[0-9a-f]{7,} x$/m)
  })

  it('pass large streams whole', async () => {
    const big = await listen(
      createServer((socket) => {
        socket.on('error', () => socket.destroy())
        socket.end(Buffer.alloc(20_000_000, 'x'))
      }),
    )
    const before = linePort
    linePort = portOf(big)
    const said = await bash(open, `cat < /dev/tcp/${PUBLIC_ADDRESS}/9000 | wc -c`)
    linePort = before
    big.close()
    expect(said).toContain('20000000')
  })
})

const REFUSED = [
  ...['10.0.0.7', '192.168.1.1', '172.16.0.1', '169.254.169.254', '100.64.0.1', '198.18.77.77'],
  ...['::ffff:10.0.0.7', 'fd00:ec2::254', '64:ff9b::7f00:1'],
  ...Object.keys(NAMES).filter((name) => name !== 'line.test' && name !== 'git.test'),
  ...Object.values(networkInterfaces()).flatMap(
    (list) => list?.flatMap(({ address, internal }) => (internal ? [] : [address])) ?? [],
  ),
  // The kernel itself refuses a link-local address without an interface.
].filter((host) => !host.startsWith('fe80:'))

describe.runIf(process.platform === 'linux')('private addresses', () => {
  let guardedPort = 0
  let guarded: Server
  beforeAll(async () => {
    guarded = await listen(
      createServer((socket) => {
        trespasses += 1
        socket.end('ESCAPED\n')
      }),
    )
    guardedPort = portOf(guarded)
  })
  afterAll(() => {
    guarded.close()
  })

  const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host)
  const sessions = (): HandsSession[] => [
    open,
    limited('sess_listed', ...REFUSED.map((host) => `${bracketed(host)}:${guardedPort}`)),
  ]

  it('are refused in every mode, by address and by name, also where they are allowed', async () => {
    for (const session of sessions()) {
      for (const host of REFUSED) {
        const said = await bash(session, greet(host, guardedPort))
        expect(said, `${session.id} ${host}`).not.toContain('ESCAPED')
        expect(said, `${session.id} ${host}`).toMatch(/\[network: .* was refused: /)
      }
    }
    expect(trespasses).toBe(0)
  }, 120_000)

  it('cannot be reached by a program that changes the network, or replaces the forwarder', async () => {
    const session = sessionWith('sess_hostile', { type: 'unrestricted' })
    const attempts = [
      'nft flush ruleset; nft delete table inet steward',
      'ip route flush table all; ip route add 10.0.0.0/8 dev lo; ip link add d0 type dummy; ip link set lo down',
      'unshare -rn true; unshare -r nft flush ruleset; nsenter -t 1 -n true',
      'pkill -f forwarder.pl; sleep 0.2',
    ]
    for (const attempt of attempts) {
      expect(await bash(session, `(${attempt}) 2>&1; echo done`)).toContain('done')
      for (const host of ['10.0.0.7', 'loopback.test', '169.254.169.254'])
        expect(await bash(session, greet(host, guardedPort))).not.toContain('ESCAPED')
    }
    const interfaces = await bash(session, "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '")
    expect(interfaces.split('\n')[0]).toBe('lo')
    expect(trespasses).toBe(0)
  }, 60_000)

  it('the sandbox keeps a loopback of its own', async () => {
    const said = await bash(
      limited('sess_local', 'line.test'),
      `${greet('127.0.0.1', guardedPort)}; perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1", LocalPort => 8080); if (!fork) { my $c = $s->accept; print $c "own server\\n"; exit }' ; ${greet('127.0.0.1', 8080)}`,
    )
    expect(said).toContain('refused')
    expect(said).toContain('own server')
    expect(trespasses).toBe(0)
  })
})

describe.runIf(process.platform === 'linux')('a limited environment', () => {
  it('allows a listed host at its listed port only, and tells the model why', async () => {
    const session = limited('sess_limited', `line.test:${linePort}`)
    expect(await bash(session, greet('line.test', linePort))).toContain('220 line.test ready')
    const other = await bash(session, greet('line.test', 22))
    expect(other).toContain(
      `[network: line.test:22 was refused: port 22 of line.test is not allowed, only ${linePort}]`,
    )
    const unlisted = await bash(session, greet('git.test', gitPort))
    expect(unlisted).toContain(
      "[network: the name git.test was refused: git.test is not among this environment's allowed hosts]",
    )
    const address = await bash(session, greet(PUBLIC_ADDRESS, 443))
    expect(address).toContain(
      `[network: ${PUBLIC_ADDRESS}:443 was refused: ${PUBLIC_ADDRESS} is not among`,
    )
    expect(decisions.filter(({ sessionId }) => sessionId === 'sess_limited')).toMatchObject([
      { host: 'line.test', port: linePort, allowed: true },
      { host: 'line.test', port: 22, allowed: false },
      { host: 'git.test', way: 'name', allowed: false },
      { host: PUBLIC_ADDRESS, port: 443, allowed: false },
    ])
  })
})
