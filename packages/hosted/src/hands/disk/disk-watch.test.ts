import { describe, expect, it } from 'vitest'
import { createDiskWatch } from './disk-watch.ts'
import type { DiskUse } from './measure.ts'

const LIMIT = { bytes: 100, entries: 10 }

const setUp = () => {
  const state = { use: { bytes: 0, entries: 0 }, free: { bytes: 1000, entries: 1000 }, measured: 0 }
  let turn: () => void = () => undefined
  let repeating = false
  const watch = createDiskWatch({
    measure: async () => {
      state.measured += 1
      return { ...state.use }
    },
    readFree: async () => ({ ...state.free }),
    repeat: (_, act) => {
      turn = act
      repeating = true
      return () => {
        repeating = false
      }
    },
  })
  const over: DiskUse[] = []
  const watched = watch.watch('/session', LIMIT, (use) => over.push(use))
  const look = async () => {
    turn()
    // One look takes this many turns of the microtask queue.
    for (let step = 0; step < 20; step += 1) await Promise.resolve()
  }
  return { state, over, look, watched, isRepeating: () => repeating }
}

describe('the disk watch', () => {
  it('measures once and then only queries free space', async () => {
    const { state, look, over } = setUp()
    for (let turn = 0; turn < 10; turn += 1) await look()
    expect([state.measured, over]).toEqual([1, []])
  })

  it('measures again when the disk lost enough to exceed a limit', async () => {
    const { state, look, over } = setUp()
    await look()
    state.free = { bytes: 950, entries: 1000 }
    await look()
    expect(state.measured).toBe(1)
    state.free = { bytes: 890, entries: 1000 }
    state.use = { bytes: 101, entries: 1 }
    await look()
    expect([state.measured, over]).toEqual([2, [{ bytes: 101, entries: 1 }]])
  })

  it('is not misled by space that others free', async () => {
    const { state, look, over } = setUp()
    await look()
    for (const bytes of [920, 1000, 920, 1000]) {
      state.free = { bytes, entries: 1000 }
      await look()
    }
    expect([state.measured, over]).toEqual([2, []])
  })

  it('counts files like bytes', async () => {
    const { state, look, over } = setUp()
    await look()
    state.free = { bytes: 1000, entries: 980 }
    state.use = { bytes: 0, entries: 20 }
    await look()
    expect(over).toEqual([{ bytes: 0, entries: 20 }])
  })

  it('reports once, and stops when nothing is watched', async () => {
    const { state, look, over, watched, isRepeating } = setUp()
    state.use = { bytes: 500, entries: 1 }
    await look()
    await look()
    expect(over).toHaveLength(1)
    watched.stop()
    expect(isRepeating()).toBe(false)
  })

  it('eventually measures whatever the disk reports', async () => {
    const { state, look } = setUp()
    for (let turn = 0; turn < 602; turn += 1) await look()
    expect(state.measured).toBe(2)
  })
})
