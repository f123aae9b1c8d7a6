import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { holdLock } from './lock.ts'
import { withLock } from './with-lock.ts'

let directory = ''
let path = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-lock-'))
  path = join(directory, 'a.lock')
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('the lock is held during the work and free after it, also when it fails', async () => {
  expect(await withLock(path, () => holdLock(path), { waitMs: 0 })).toBeUndefined()
  const failing = withLock(path, () => Promise.reject(new Error('no luck')), { waitMs: 0 })
  await expect(failing).rejects.toThrow('no luck')
  const next = holdLock(path)
  expect(next).toBeDefined()
  next?.release()
})

test('waits for the holder, knocking more often each time, and then works', async () => {
  const holder = holdLock(path)
  const pauses: number[] = []
  const sleep = async (delayMs: number) => {
    pauses.push(delayMs)
    if (pauses.length === 100) holder?.release()
  }
  expect(await withLock(path, () => 'done', { waitMs: 10_000, sleep })).toBe('done')
  expect(pauses).toHaveLength(100)
  expect(Math.max(...pauses)).toBeLessThanOrEqual(10)
  expect(pauses.at(-1)).toBeLessThan(pauses[0] ?? 0)
})

test('times out, having waited no longer', async () => {
  const holder = holdLock(path)
  let waitedMs = 0
  const sleep = async (delayMs: number) => {
    waitedMs += delayMs
  }
  const waiting = withLock(path, () => 'never', { waitMs: 500, sleep })
  await expect(waiting).rejects.toMatchObject({ code: 'timeout', details: { limitMs: 500 } })
  expect(waitedMs).toBeCloseTo(500)
  holder?.release()
})

test('waiters take turns', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await new Promise(setImmediate)
    inside--
  }
  const sleep = () => new Promise(setImmediate)
  await Promise.all(Array.from({ length: 5 }, () => withLock(path, work, { waitMs: 1e6, sleep })))
  expect(most).toBe(1)
})
