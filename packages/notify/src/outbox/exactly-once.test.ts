import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { bundleChild } from '../../../../scripts/testing/bundle-child.ts'
import { type CachedPush, serveNtfy } from '../channels/testing/serve-ntfy.ts'

/** Where `kill -9` happens; the last two while a successor queries the outcome of an attempt. */
const POINTS = [
  'stored',
  'claimed',
  'half',
  'taken',
  'late',
  'answered',
  'recorded',
  'asking',
  'told',
] as const
type Point = (typeof POINTS)[number]

/** Every point of a query follows a point that leaves the delivery unconfirmed. */
const EACH: Point[] = [
  'stored',
  'claimed',
  'asking',
  'taken',
  'told',
  'half',
  'late',
  'answered',
  'recorded',
]

/** Runs processes in sequence, each killed at its point; the last one may finish. */
const run = async (program: string, points: readonly Point[], knowsIds: boolean): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-once-'))
  // A frozen clock, because the processes have their own time.
  const service = await serveNtfy(() => 1_800_000_000_000)
  service.knowsIds = knowsIds
  const names: string[] = []
  const late: CachedPush[] = []
  const runProcess = async (point: Point | 'none'): Promise<unknown> => {
    names.push(`${names.length} ${point}`, `${names.length + 1} ${point}`)
    const args = [program, folder, service.address, point, ...names]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
    const ended = once(child, 'exit')
    service.beforeAnswer = async (request) => {
      if (request === 'question') service.kept.push(...late.splice(0))
      if (request === 'question' || (point !== 'taken' && point !== 'late')) return
      child.kill('SIGKILL')
      await ended
      // The request is still in transit and only accepted after the first query.
      if (point === 'late') late.push(...service.kept.splice(-1))
      throw new Error('the caller has died')
    }
    const [code, signal] = await ended
    return signal ?? code
  }
  try {
    for (const point of points) expect([0, 'SIGKILL']).toContain(await runProcess(point))
    expect(await runProcess('none')).toBe(0)
    expect(service.kept.map(({ message }) => message).toSorted()).toEqual(names.toSorted())
  } finally {
    service.close()
    rmSync(folder, { recursive: true })
  }
}

test('killed at any point, in any order: each message is once at the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = await bundleChild(join(import.meta.dirname, 'testing/dying-process.ts'), folder)
  await run(program, EACH, true)
  // A server without ids, in one random order, because each process costs a start.
  const orders = fc.shuffledSubarray([...POINTS], { minLength: POINTS.length })
  const property = fc.asyncProperty(orders, (points) => run(program, points, false))
  await fc.assert(property, { numRuns: 1, endOnFailure: true })
}, 240_000)
