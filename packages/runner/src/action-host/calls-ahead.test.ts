import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  createTemporaryHome,
  type TemporaryHome,
} from '../../../platform/src/testing/temporary-home.ts'
import { type ActionHosts, createActionHosts } from './action-hosts.ts'
import { callAction } from './testing/call-action.ts'

let home: TemporaryHome
let hosts: ActionHosts

/** So many quick calls, and more: the first ones of a process are slow. */
const WARM_UP = 60

const call = (input: Record<string, unknown> = {}): Promise<unknown> =>
  callAction(hosts, home, 'A_COUNT_CALLS', { input, isEarly: true })

/** Calls that are sent again may change places: they belong to different runs. */
const expectInAnyOrder = (answers: readonly unknown[], expected: readonly unknown[]): void => {
  expect(answers).toHaveLength(expected.length)
  expect(answers).toEqual(expect.arrayContaining([...expected]))
}

/** Counts its calls in this process. `wait` takes long, `crash` ends the process after the answer. */
const CODE = `
  globalThis.calls = (globalThis.calls ?? 0) + 1
  if (input.wait) await new Promise((resolve) => setTimeout(resolve, 60_000))
  if (input.crash) void Promise.reject(new Error('left behind'))
  if (input.fail) throw new Error('on purpose')
  return { calls }`

beforeEach(async () => {
  home = createTemporaryHome()
  // A second host is only started for calls that the first one keeps waiting.
  hosts = createActionHosts({ limits: { hostsPerAction: 2, busyHosts: 1 } })
  home.action('A_COUNT_CALLS', CODE)
  for (let n = 1; n <= WARM_UP; n++) expect(await call()).toEqual({ calls: n })
})

afterEach(async () => {
  await hosts.close()
  home.remove()
})

it('quick calls at a time are worked off by one process in their order', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => call()))
  expect(answers).toEqual(Array.from({ length: 12 }, (_, n) => ({ calls: WARM_UP + 1 + n })))
  expect(await call()).toEqual({ calls: WARM_UP + 13 })
})

it('a call that fails fails alone', async () => {
  const answers = await Promise.allSettled([call(), call({ fail: true }), call()])
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

it('calls behind one that takes long are made by another process', async () => {
  const slow = call({ wait: true })
  slow.catch(() => undefined)
  expectInAnyOrder(await Promise.all([call(), call()]), [{ calls: 1 }, { calls: 2 }])
  await hosts.close()
  await expect(slow).rejects.toThrow()
})

it('calls behind one that leaves a rejection behind are made by another process', async () => {
  const [first, ...others] = await Promise.all([call({ crash: true }), call(), call()])
  expect(first).toEqual({ calls: WARM_UP + 1 })
  expectInAnyOrder(others, [{ calls: 1 }, { calls: 2 }])
})
