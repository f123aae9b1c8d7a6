import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { isAlive } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'

/**
 * A server of its own, so that it can be killed: starts two sandboxes and says `idle`. After a line
 * from the test, a program in the first one connects again and again, and the server prints what it
 * could do.
 */
const SCRIPT = `
const [, home, port] = process.argv
const { once } = await import('node:events')
const { connect } = await import('node:net')
const { createHands } = await import('${import.meta.dirname}/create-hands.ts')
const { createProvisionSession } = await import('${import.meta.dirname}/mounts/provision-session.ts')
const { createPackageCache } = await import('${import.meta.dirname}/packages/package-cache.ts')
const dial = async () => {
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  await once(socket, 'connect')
  return socket
}
const hands = await createHands({
  home,
  surround: createProvisionSession({
    packageCache: createPackageCache({ folder: home + '/packages', maxBytes: Infinity, maxIdleMs: Infinity }),
    onError: (_, error) => console.error(error),
    reach: { dial, resolve: async () => ['93.184.216.34'] },
  }),
})
const none = { apt: [], cargo: [], gem: [], go: [], npm: [], pip: [] }
const sessionOf = (id) => ({ id, networking: { type: 'unrestricted' }, packages: none, mounts: [], credentials: [] })
const run = (id, command) =>
  hands.execute(sessionOf(id), { id: 'sevt_1', name: 'bash', input: { command }, config: {} }, new AbortController().signal)
await run('sesn_1', 'true')
await run('sesn_2', 'true')
console.log('idle')
await once(process.stdin, 'data')
const command = '(while :; do exec 3<>/dev/tcp/far.test/6379; read -u 3 -t 5 said; sleep 0.01; done) >/dev/null 2>&1 & ' +
  'exec 4<>/dev/tcp/far.test/6379; read -u 4 said; echo "$said"; nft list ruleset; ip link set lo down'
const { content } = await run('sesn_1', command)
console.log(JSON.stringify({ network: hands.describe().network, remarks: hands.describe().remarks, said: content[0].text }))
`

const report = z.object({ network: z.string(), remarks: z.array(z.string()), said: z.string() })
const SANDBOXES = 2
const isRoot = process.getuid?.() === 0
const STRANGER = 54_321

/** A checkout in a private folder cannot be run by another account. */
const canRunAs = (uid: number): boolean =>
  spawnSync(process.execPath, ['-e', `require('fs').readdirSync('${import.meta.dirname}')`], {
    ...{ uid, gid: uid },
  }).status === 0

let server: Server
let home = ''
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'network-life-'))
  chmodSync(home, 0o777)
  server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.write('+PONG\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true, force: true })
})

const accounts = [
  ['this account', process.getuid?.() ?? 0] as const,
  ...(isRoot && canRunAs(STRANGER) ? [['an account without rights', STRANGER] as const] : []),
]

describe.runIf(process.platform === 'linux').each(accounts)('the server runs as %s', (_, uid) => {
  it('has DNS and TCP in its sandboxes, which its death ends with everything in them', async () => {
    const { port } = z.object({ port: z.number() }).parse(server.address())
    const own = mkdtempSync(join(home, 'home-'))
    chmodSync(own, 0o777)
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', SCRIPT, own, String(port)],
      { uid, gid: uid, stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit')
    const lines = createInterface({ input: child.stdout })
    expect(await once(lines, 'line')).toEqual(['idle'])
    // Pages of programs that both use count half for each, whatever else the machine runs.
    const held = proportionalKib(listDescendants(child.pid ?? 0)) / SANDBOXES
    expect(held).toBeGreaterThan(0)
    expect(held).toBeLessThan(5 * 1024)

    child.stdin.write('go on\n')
    const [text] = await once(lines, 'line')
    const { network, said, remarks } = report.parse(JSON.parse(text))
    expect([network, remarks.join().includes('HTTP')]).toEqual(['tcp', false])
    expect(said).toContain('+PONG')
    expect(said).toMatch(/Operation not permitted[\s\S]*Operation not permitted/)

    const inside = listDescendants(child.pid ?? 0)
    expect(inside.length).toBeGreaterThan(2)
    child.kill('SIGKILL')
    await exited
    await vi.waitFor(() => expect(inside.filter((pid) => isAlive(pid))).toEqual([]), 10_000)
    await vi.waitFor(async () => {
      const open = await new Promise((resolve) => server.getConnections((_e, n) => resolve(n)))
      expect(open).toBe(0)
    }, 10_000)
  }, 60_000)
})

const readIfThere = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const listDescendants = (pid: number): number[] => {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parents = new Map(
    all.map((name) => {
      const stat = readIfThere(`/proc/${name}/stat`)
      return [Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]
    }),
  )
  const isBelow = (each: number | undefined): boolean => {
    const parent = each === undefined ? undefined : parents.get(each)
    return parent !== undefined && (parent === pid || isBelow(parent))
  }
  return [...parents.keys()].filter((each) => isBelow(each))
}

const proportionalKib = (pids: readonly number[]): number =>
  pids.reduce(
    (sum, pid) =>
      sum + Number(/Pss:\s+(\d+)/.exec(readIfThere(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0),
    0,
  )
