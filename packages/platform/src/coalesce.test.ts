import { expect, it } from 'vitest'
import { coalesce } from './coalesce.ts'

/** Work that the test completes explicitly. */
const createWork = () => {
  const runs: PromiseWithResolvers<void>[] = []
  const run = coalesce(() => {
    const ended = Promise.withResolvers<void>()
    runs.push(ended)
    return ended.promise
  })
  return { run, runs }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

it('shares one more run among all calls during a run', async () => {
  const { run, runs } = createWork()
  const first = run()
  const [second, third] = [run(), run()]
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await first
  await turn()
  expect(runs).toHaveLength(2)
  let isDone = false
  const both = Promise.all([second, third]).then(() => {
    isDone = true
  })
  await turn()
  expect(isDone).toBe(false)
  runs[1]?.resolve()
  await both
  await turn()
  expect(runs).toHaveLength(2)
})

it('runs immediately when idle', async () => {
  const { run, runs } = createWork()
  for (const count of [1, 2]) {
    const done = run()
    expect(runs).toHaveLength(count)
    runs.at(-1)?.resolve()
    await done
  }
})

it('reports a failure to its callers only, and runs again after it', async () => {
  const { run, runs } = createWork()
  const first = run()
  const second = run()
  runs[0]?.reject(new Error('broken'))
  await expect(first).rejects.toThrow('broken')
  await turn()
  runs[1]?.resolve()
  await expect(second).resolves.toBeUndefined()
})
