import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'testing/outbox-process.ts')
const KILLS = 6

interface Received {
  message: string
  id: string
}

/** The push service; tells of every message before and after it is answered. */
const serve = async (onPost: (when: 'before' | 'after') => void) => {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let message = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      message += text
    })
    request.on('end', () => {
      received.push({ message, id: String(request.headers['x-sequence-id']) })
      onPost('before')
      response.end('{}', () => onPost('after'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { received, address: `http://127.0.0.1:${address.port}` }
}

test('processes killed at any moment lose nothing and repeat only what they had no time to note', async () => {
  const home = mkdtempSync(join(tmpdir(), 'steward-crash-'))
  const children = new Set<ChildProcess>()
  onTestFinished(async () => {
    await Promise.all(
      [...children].map((child) => {
        child.kill('SIGKILL')
        return once(child, 'close')
      }),
    )
    rmSync(home, { recursive: true })
  })
  const epoch = String(Date.now())
  const start = (...args: string[]) => {
    const [mode = '', ...rest] = args
    const child = spawn(process.execPath, [PROGRAM, mode, home, service.address, epoch, ...rest], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.add(child)
    child.once('close', () => children.delete(child))
    return child
  }
  const acknowledged: string[] = []
  const say = (name: string, count: number) => {
    const child = start('say', name, String(count))
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      acknowledged.push(...lines)
    })
    return { child, ended: once(child, 'close') }
  }

  // Two pumps: one delivers, the other waits to take over. The one that delivers is shot again and
  // again, in the middle of a delivery or right after its answer, and another one started.
  let kills = 0
  let posts = 0
  const pumps: ChildProcess[] = []
  const service = await serve((when) => {
    posts++
    const isDue = posts % 9 === 0 && kills < KILLS
    if (!isDue || (when === 'before') !== (kills % 2 === 0)) return
    kills++
    for (const pump of pumps.splice(0)) pump.kill('SIGKILL')
    pumps.push(start('pump'), start('pump'))
  })
  pumps.push(start('pump'), start('pump'))
  const speakers = ['a', 'b', 'c'].map((name) => say(name, 30))
  const shot = say('shot', 100_000)
  await vi.waitFor(
    () => expect(acknowledged.some((name) => name.startsWith('shot-20'))).toBe(true),
    30_000,
  )
  shot.child.kill('SIGKILL')
  await Promise.all([...speakers, shot].map(({ ended }) => ended))

  const seen = () => new Set(service.received.map(({ message }) => message))
  await vi.waitFor(
    () => expect(acknowledged.filter((name) => !seen().has(name))).toEqual([]),
    60_000,
  )
  expect(acknowledged.length).toBeGreaterThan(90)
  expect(kills).toBe(KILLS)

  const idOf = new Map<string, string>()
  let repeats = 0
  for (const { message, id } of service.received) {
    const known = idOf.get(message)
    if (known !== undefined) repeats++
    // Whoever gets a repeat can tell: it has the id of the first.
    expect(known ?? id).toBe(id)
    idOf.set(message, id)
  }
  expect(repeats).toBeLessThanOrEqual(kills)
}, 120_000)
