import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withTimeLimit } from './time-limit.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  // First what was put over the clock: taken off later, it would bring the stopped clock back.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

it('sets no timer for work that waits for nothing, and passes on what came of it', async () => {
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  expect(await withTimeLimit('it', 1000, undefined, async () => 7)).toBe(7)
  const failing = withTimeLimit('it', 1000, undefined, async () => {
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(setTimer).not.toHaveBeenCalled()
})

it('counts the time from the start, also what passed before the work first waited', async () => {
  // Whoever else shares the process may have timers of its own.
  const before = vi.getTimerCount()
  const limited = withTimeLimit('it', 1000, undefined, async () => {
    vi.setSystemTime(Date.now() + 900)
    return new Promise(() => undefined)
  })
  const ended = expect(limited).rejects.toMatchObject({ code: 'timeout' })
  await vi.advanceTimersByTimeAsync(100)
  await ended
  expect(vi.getTimerCount()).toBe(before)
})

it('ends when the work itself stops the run', async () => {
  const stop = new AbortController()
  const limited = withTimeLimit('it', 1000, stop.signal, (signal) => {
    stop.abort(new Error('stopped'))
    return new Promise((resolve) => signal().addEventListener('abort', () => resolve('told')))
  })
  await expect(limited).rejects.toThrow('stopped')
})
