import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdLock, isLockHeld } from './lock.ts'
import { withLock } from './with-lock.ts'

const HOLD = fileURLToPath(new URL('./testing/hold.ts', import.meta.url))
const children: ChildProcess[] = []
let directory = ''
let path = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-lock-'))
  path = join(directory, 'deep', 'a.lock')
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

const holdElsewhere = async () => {
  const child = fork(HOLD, [path])
  children.push(child)
  const [answer] = await once(child, 'message')
  return { child, answer }
}

test('a lock is held once, in this process too, until it is released', () => {
  const lock = holdLock(path)
  expect(lock?.path).toBe(path)
  expect(isLockHeld(path)).toBe(true)
  expect(holdLock(path)).toBeUndefined()
  lock?.release()
  lock?.release()
  expect(isLockHeld(path)).toBe(false)
  expect(holdLock(path)).toBeDefined()
})

test('checking a lock that was never taken creates nothing', () => {
  expect(isLockHeld(path)).toBe(false)
  expect(existsSync(path)).toBe(false)
})

test('looking does not disturb the holder', async () => {
  const lock = holdLock(path)
  for (let look = 0; look < 20; look++) expect(isLockHeld(path)).toBe(true)
  expect(holdLock(path)).toBeUndefined()
  expect((await holdElsewhere()).answer).toBe('refused')
  lock?.release()
})

test('another process holds it until it is killed, and the kernel releases it', async () => {
  const { child, answer } = await holdElsewhere()
  expect(answer).toBe('held')
  expect(isLockHeld(path)).toBe(true)
  expect(holdLock(path)).toBeUndefined()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isLockHeld(path)).toBe(false)
  expect(holdLock(path)).toBeDefined()
})

test('of several processes exactly one gets it', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, holdElsewhere))
  expect(answers.filter(({ answer }) => answer === 'held')).toHaveLength(1)
})

describe('a lock file with something else in it', () => {
  beforeEach(() => {
    mkdirSync(join(directory, 'deep'))
    writeFileSync(path, 'not a lock at all, but a text that someone left here '.repeat(40))
  })

  test('is free, and can be taken by one', () => {
    expect(isLockHeld(path)).toBe(false)
    const lock = holdLock(path)
    expect(lock).toBeDefined()
    expect(isLockHeld(path)).toBe(true)
    expect(holdLock(path)).toBeUndefined()
    lock?.release()
    expect(isLockHeld(path)).toBe(false)
  })

  test('can be waited for', async () => {
    expect(await withLock(path, () => 'done', { waitMs: 0 })).toBe('done')
  })
})

test('a lock that someone writes into stays held', () => {
  const lock = holdLock(path)
  // By another process: closing a descriptor of it here would free it.
  execFileSync('sh', ['-c', 'echo text that does not belong here >> "$0"', path])
  expect(isLockHeld(path)).toBe(true)
  expect(holdLock(path)).toBeUndefined()
  lock?.release()
})
