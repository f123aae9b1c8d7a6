import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveHome } from '@steward/platform'
import { expect, onTestFinished, test, vi } from 'vitest'
import { bundleChild } from '../../../../scripts/testing/bundle-child.ts'
import { serveNtfy } from '../channels/testing/serve-ntfy.ts'
import { openOutbox } from './outbox.ts'

const KILLS = 4

test('several processes, killed at any moment, lose and duplicate nothing', async () => {
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
  const program = await bundleChild(join(import.meta.dirname, 'testing/outbox-process.ts'), home)
  const epoch = String(Date.now())
  const start = (...args: string[]) => {
    const [mode = '', ...rest] = args
    const child = spawn(process.execPath, [program, mode, home, service.address, epoch, ...rest], {
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

  // Two pumps: one delivers, the other waits to take over. The active one is repeatedly killed,
  // during a delivery or right after its answer, and replaced.
  let kills = 0
  let posts = 0
  const pumps: ChildProcess[] = []
  const service = await serveNtfy()
  onTestFinished(service.close)
  const strike = (): void => {
    kills++
    for (const pump of pumps.splice(0)) pump.kill('SIGKILL')
    pumps.push(start('pump'), start('pump'))
  }
  service.beforeAnswer = (request) => {
    if (request === 'question') return
    posts++
    if (posts % 6 !== 0 || kills === KILLS) return
    if (kills % 2 === 0) strike()
    else setImmediate(strike)
  }
  pumps.push(start('pump'), start('pump'))
  const speakers = ['a', 'b', 'c'].map((name) => say(name, 10))
  const shot = say('shot', 100_000)
  await vi.waitFor(() => expect(acknowledged).toContain('shot-9'), 90_000)
  shot.child.kill('SIGKILL')
  await Promise.all([...speakers, shot].map(({ ended }) => ended))

  const path = join(resolveHome({ STEWARD_HOME: home }).databases, 'outbox.sqlite')
  const outbox = openOutbox({ path, now: Date.now, random: () => 0 })
  onTestFinished(outbox.close)
  await vi.waitFor(
    () => expect(outbox.list(1000).filter(({ state }) => state !== 'delivered')).toEqual([]),
    90_000,
  )
  expect(kills).toBe(KILLS)
  const arrived = service.kept.map(({ message = '' }) => message)
  expect(arrived.toSorted()).toEqual(
    outbox
      .list(1000)
      .map(({ message }) => message)
      .toSorted(),
  )
  expect(arrived).toEqual(expect.arrayContaining(acknowledged))
  expect(acknowledged.length).toBeGreaterThanOrEqual(40)
}, 240_000)
