import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withTimeLimit } from './time-limit.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  // Removes mocks on top of the fake clock first: removed later, they would restore the stopped
  // clock.
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** An unusual duration, to tell our timers from others in the same process. */
const LIMIT_MS = 7_654_321

/** The timers that were set for the limit. */
const watchTimers = () => {
  const set = vi.spyOn(globalThis, 'setTimeout')
  const cleared = vi.spyOn(globalThis, 'clearTimeout')
  const handles = () =>
    set.mock.results.filter((_, at) => set.mock.calls[at]?.[1] === LIMIT_MS).map((r) => r.value)
  return { handles, isCleared: (handle: unknown) => cleared.mock.calls.some(([h]) => h === handle) }
}

it('sets no timer for work that never waits, and returns its result', async () => {
  const timers = watchTimers()
  expect(await withTimeLimit('it', LIMIT_MS, undefined, async () => 7)).toBe(7)
  const failing = withTimeLimit('it', LIMIT_MS, undefined, async () => {
    throw new Error('broken')
  })
  await expect(failing).rejects.toThrow('broken')
  expect(timers.handles()).toEqual([])
})

it('leaves no timer behind when the work ends in time', async () => {
  const timers = watchTimers()
  const later = Promise.withResolvers<number>()
  const limited = withTimeLimit('it', LIMIT_MS, undefined, () => later.promise)
  await vi.advanceTimersByTimeAsync(5)
  expect(timers.handles()).toHaveLength(1)
  later.resolve(7)
  expect(await limited).toBe(7)
  expect(timers.isCleared(timers.handles()[0])).toBe(true)
})

it('counts the time from the start, including the time before the first wait', async () => {
  const limited = withTimeLimit('it', 1000, undefined, async () => {
    vi.setSystemTime(Date.now() + 900)
    return new Promise(() => undefined)
  })
  const ended = expect(limited).rejects.toMatchObject({ code: 'timeout' })
  await vi.advanceTimersByTimeAsync(100)
  await ended
})

it('ends when the work itself stops the run', async () => {
  const stop = new AbortController()
  const limited = withTimeLimit('it', 1000, stop.signal, (signal) => {
    stop.abort(new Error('stopped'))
    return new Promise((resolve) => signal().addEventListener('abort', () => resolve('told')))
  })
  await expect(limited).rejects.toThrow('stopped')
})
