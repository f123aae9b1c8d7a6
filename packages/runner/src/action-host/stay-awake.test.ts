import { expect, test } from 'vitest'
import { createStayAwake } from './stay-awake.ts'

const openScene = ({ processors = 2 } = {}) => {
  let nowMs = 0
  const turns: (() => void)[] = []
  const stayAwake = createStayAwake({
    now: () => nowMs,
    nextTurn: (callback) => void turns.push(callback),
    processors,
  })
  /** The next turns of the event loop, each after a tenth of a millisecond; returns how many there were. */
  const run = async (most = 100): Promise<number> => {
    let count = 0
    for (; turns.length > 0 && count < most; count++) {
      nowMs += 0.1
      turns.shift()?.()
      await Promise.resolve()
    }
    return count
  }
  return { stayAwake, run }
}

test('the event loop stays awake until a quick call ends', async () => {
  const { stayAwake, run } = openScene()
  const call = Promise.withResolvers<void>()
  stayAwake(call.promise)
  expect(await run(2)).toBe(2)
  call.resolve()
  await call.promise
  expect(await run()).toBe(1)
  expect(await run()).toBe(0)
})

test('a call that fails ends it as well, and the next one begins it again', async () => {
  const { stayAwake, run } = openScene()
  const call = Promise.withResolvers<void>()
  stayAwake(call.promise)
  call.reject(new Error('it failed'))
  await call.promise.catch(() => undefined)
  expect(await run()).toBe(1)
  stayAwake(new Promise(() => undefined))
  expect(await run(2)).toBe(2)
})

test('a call that takes longer than expected lets it sleep', async () => {
  const { stayAwake, run } = openScene()
  stayAwake(new Promise(() => undefined))
  expect(await run()).toBeLessThan(6)
})

test('several calls at once leave the processors to the processes that they run in', async () => {
  const { stayAwake, run } = openScene()
  stayAwake(new Promise(() => undefined))
  stayAwake(new Promise(() => undefined))
  expect(await run()).toBe(1)
})

test('a machine with one processor leaves it to the call', async () => {
  const { stayAwake, run } = openScene({ processors: 1 })
  stayAwake(new Promise(() => undefined))
  expect(await run()).toBe(0)
})
