import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { forwarderBeside, SMALL_FORWARDER_SOURCE } from './small-forwarder.ts'

const MB = 1024 ** 2
const hasPerl = existsSync('/usr/bin/perl')

test('containers use Node, because their image need not have Perl', () => {
  expect(forwarderBeside('docker')[0]).toBe('/run/steward/node')
  expect(forwarderBeside('bubblewrap')[0]).toBe(hasPerl ? '/usr/bin/perl' : '/run/steward/node')
})

describe.skipIf(!hasPerl)('the small forwarder', () => {
  let folder: string
  let upstream: Server
  let child: ReturnType<typeof spawn>
  let port: number
  let openAtFirst: number
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-forward-'))
    const script = join(folder, 'forwarder.pl')
    writeFileSync(script, SMALL_FORWARDER_SOURCE)
    // Answers with the hash of everything that it got, once the other side has ended.
    upstream = createServer({ allowHalfOpen: true }, (socket) => {
      const hash = createHash('sha256')
      socket.on('data', (bytes) => hash.update(bytes))
      socket.on('error', () => socket.destroy())
      socket.on('end', () => socket.end(hash.digest('hex').repeat(20_000)))
    })
    upstream.listen(join(folder, 'proxy.sock'))
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    port = z.object({ port: z.number() }).parse(free.address()).port
    free.close()
    child = spawn('/usr/bin/perl', [script, join(folder, 'proxy.sock'), String(port)])
    await vi.waitFor(async () => {
      const probe = connect(port, '127.0.0.1')
      await once(probe, 'connect')
      probe.destroy()
    })
    // The standard streams, the port, and what it inherited.
    openAtFirst = await vi.waitFor(() => {
      const sockets = readdirSync(`/proc/${child.pid}/fd`).filter((name) =>
        readlinkSync(`/proc/${child.pid}/fd/${name}`).startsWith('socket:'),
      )
      expect(sockets.length).toBeLessThanOrEqual(4)
      return countOpen()
    })
  })
  const countOpen = (): number => readdirSync(`/proc/${child.pid}/fd`).length
  afterAll(async () => {
    const ended = once(child, 'exit')
    child.kill()
    await ended
    upstream.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const exchange = async (bytes: Uint8Array): Promise<string> => {
    const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let answer = ''
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
    })
    socket.end(bytes)
    await once(socket, 'close')
    return answer
  }

  test('has little memory of its own while it is idle', () => {
    const rollup = readFileSync(`/proc/${child.pid}/smaps_rollup`, 'utf8')
    const own = Number(/Private_Dirty:\s+(\d+)/.exec(rollup)?.[1]) * 1024
    expect(own).toBeGreaterThan(0)
    expect(own).toBeLessThan(MB)
  })

  test('passes many large streams both ways, with the end of each side', async () => {
    await Promise.all(
      Array.from({ length: 30 }, async (_, count) => {
        const bytes = new Uint8Array(count * 100_000).fill(count)
        const hash = createHash('sha256').update(bytes).digest('hex')
        expect(await exchange(bytes)).toBe(hash.repeat(20_000))
      }),
    )
  }, 30_000)

  test('survives clients that vanish, and keeps nothing of them', async () => {
    for (let count = 0; count < 50; count += 1) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write('half')
      socket.destroy()
    }
    expect(await exchange(new Uint8Array(3))).toHaveLength(20_000 * 64)
    await vi.waitFor(() => expect(countOpen()).toBe(openAtFirst))
  })
})
