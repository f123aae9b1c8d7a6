import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVirtualClock } from './clock.ts'
import type { Host } from './host.ts'
import { createHostSwitch } from './host-switch.ts'
import { directoryOf } from './testing/directory-of.ts'
import { createWorkCount, type WorkCount } from './work-count.ts'

const FLOW = 'exec-f-store'
const ACTION = 'exec-a-plain'
const DIRECTORIES = [
  directoryOf('f-store', { configuration: { kv_namespaces: [{ binding: 'KV', id: 'x' }] } }),
  directoryOf('a-plain'),
]

interface FakeHost extends Host {
  version: number
  isDisposed: boolean
}

const unused = async () => {
  throw new Error('not used here')
}

/** Stands in for a workerd process; the test of reloads replaces real ones. */
const hostOf = (
  version: number,
  dispose: () => Promise<void> = async () => undefined,
): FakeHost => ({
  version,
  isDisposed: false,
  directories: DIRECTORIES,
  addressOf: unused,
  runScheduled: unused,
  deliverBatch: unused,
  async dispose() {
    this.isDisposed = true
    await dispose()
  },
})

const open = () => {
  const clock = createVirtualClock(0)
  const warnings: string[] = []
  const hosts: FakeHost[] = []
  const switcher = createHostSwitch(clock, (message) => warnings.push(message))
  return {
    clock,
    warnings,
    hosts,
    switcher,
    replace: (host = hostOf(hosts.length), work: WorkCount = createWorkCount()) => {
      hosts.push(host)
      switcher.replace(host, work)
      return work
    },
    /** Enters and stays until released. */
    enter: (worker: string, patienceMs?: number) => {
      const leave = Promise.withResolvers<void>()
      const entered = Promise.withResolvers<Host>()
      const done = switcher.use(
        worker,
        async (host) => {
          entered.resolve(host)
          await leave.promise
          return host
        },
        patienceMs,
      )
      // A rejection is checked where it is expected, which may be later.
      done.catch(() => undefined)
      return { entered: entered.promise, done, leave: leave.resolve }
    },
    settled: async <T>(promise: Promise<T>): Promise<T | 'waits'> => {
      await setImmediate()
      return Promise.race([promise, Promise.resolve<'waits'>('waits')])
    },
  }
}

test('workers without storage switch at once; the old process stays for its requests', async () => {
  const { switcher, hosts, replace, enter } = open()
  replace()
  const inside = enter(ACTION)
  replace()
  expect(await switcher.use(ACTION, async (host) => host)).toBe(hosts[1])
  expect(hosts[0]?.isDisposed).toBe(false)
  inside.leave()
  expect(await inside.done).toBe(hosts[0])
  await setImmediate()
  expect(hosts[0]?.isDisposed).toBe(true)
})

test('storage is handed over when requests and background work are done, and the process has ended', async () => {
  const { hosts, replace, enter, settled } = open()
  const ending = Promise.withResolvers<void>()
  const behind = replace(hostOf(0, () => ending.promise))
  const inside = enter(FLOW)
  const over = behind.begin()
  replace()
  const newcomer = enter(FLOW)
  inside.leave()
  await inside.done
  expect(await settled(newcomer.entered)).toBe('waits')
  expect(hosts[0]?.isDisposed).toBe(false)
  over()
  expect(await settled(newcomer.entered)).toBe('waits')
  expect(hosts[0]?.isDisposed).toBe(true)
  ending.resolve()
  expect(await newcomer.entered).toBe(hosts[1])
})

test('a call that waits through two reloads enters the newest process', async () => {
  const { hosts, replace, enter, settled } = open()
  replace()
  const inside = enter(FLOW)
  replace()
  const newcomer = enter(FLOW)
  replace()
  expect(await settled(newcomer.entered)).toBe('waits')
  expect(hosts.map(({ isDisposed }) => isDisposed)).toEqual([false, true, false])
  inside.leave()
  expect(await newcomer.entered).toBe(hosts[2])
})

test('a request waits for its limit, a batch until the longest work has ended', async () => {
  const { clock, warnings, hosts, replace, enter, settled } = open()
  replace()
  const inside = enter(FLOW)
  replace()
  const request = enter(FLOW, 30_000)
  const batch = enter(FLOW)
  await clock.advance(30_000, setImmediate)
  await expect(request.done).rejects.toMatchObject({
    code: 'run_active',
    status: 409,
    message: expect.stringContaining('exec-f-store is still running'),
  })
  expect(warnings).toEqual([expect.stringContaining('1 task(s) from before it still')])
  await clock.advance(15 * 60_000 - 30_001, setImmediate)
  expect(await settled(batch.entered)).toBe('waits')
  expect(hosts[0]?.isDisposed).toBe(false)
  await clock.advance(1, setImmediate)
  expect(hosts[0]?.isDisposed).toBe(true)
  expect(await batch.entered).toBe(hosts[1])
  expect(warnings.at(-1)).toContain('are ended after 15 minutes; messages among them')
  inside.leave()
})

test('at most four old processes finish beside the current one', async () => {
  const { warnings, hosts, replace, enter } = open()
  replace()
  for (let version = 1; version <= 5; version += 1) {
    await enter(ACTION).entered
    replace()
    await setImmediate()
  }
  expect(hosts.map(({ isDisposed }) => isDisposed)).toEqual([true, ...Array(5).fill(false)])
  expect(warnings).toEqual([expect.stringContaining('the oldest is ended')])
})

test('close gives calls in progress a while, ends every process once, and accepts nothing more', async () => {
  const { clock, hosts, replace, enter, switcher } = open()
  await expect(enter(FLOW).done).rejects.toMatchObject({ code: 'not_configured' })
  let ended = 0
  const dispose = async () => {
    ended += 1
  }
  replace(hostOf(0, dispose))
  const inside = enter(FLOW)
  await inside.entered
  replace(hostOf(1, dispose))
  const newcomer = enter(FLOW)
  const closed = switcher.close(3000)
  await clock.advance(2999, setImmediate)
  expect(ended).toBe(0)
  await clock.advance(1, setImmediate)
  await closed
  expect(ended).toBe(hosts.length)
  await expect(newcomer.done).rejects.toMatchObject({ code: 'not_configured' })
})

test('a process that cannot be ended is reported and blocks nothing', async () => {
  const { warnings, hosts, replace, enter } = open()
  replace(
    hostOf(0, async () => {
      throw new Error('it does not die')
    }),
  )
  replace()
  expect(await enter(FLOW).entered).toBe(hosts[1])
  expect(warnings).toEqual(['a process could not be ended: it does not die'])
})

test('for any order of events: storage is never shared, and no process ends with work inside', async () => {
  const step = fc.oneof(
    fc.constantFrom('reload' as const, 'flow' as const, 'action' as const, 'behind' as const),
    fc.nat({ max: 20 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { hosts, replace, enter, switcher } = open()
      const insideStorage = new Map<Host, number>()
      const count = (host: Host, by: number) =>
        insideStorage.set(host, (insideStorage.get(host) ?? 0) + by)
      const versionOf = (host: Host) => hosts.map<Host>((each) => each).indexOf(host)
      const leaves: (() => void)[] = []
      const dones: Promise<unknown>[] = []
      const works = [replace()]
      const check = () => {
        const using = hosts.filter((host) => (insideStorage.get(host) ?? 0) > 0)
        expect(using.length).toBeLessThanOrEqual(1)
        for (const host of using) expect(host.isDisposed).toBe(false)
      }
      for (const each of steps) {
        if (each === 'reload' && leaves.length < 4) works.push(replace())
        if (each === 'flow' || each === 'action') {
          const { entered, leave, done } = enter(each === 'flow' ? FLOW : ACTION)
          let inside: Host | undefined
          const noted = entered.then((host) => {
            if (each !== 'flow') return
            inside = host
            count(host, 1)
          })
          leaves.push(() => {
            void noted.then(() => {
              if (inside !== undefined) count(inside, -1)
              leave()
            })
          })
          dones.push(done)
        }
        if (each === 'behind') {
          // Background work begins inside a request.
          dones.push(
            switcher.use(FLOW, async (host) => {
              const over = works[versionOf(host)]?.begin()
              count(host, 1)
              leaves.push(() => {
                count(host, -1)
                over?.()
              })
            }),
          )
        }
        if (typeof each === 'number') leaves.splice(each, 1)[0]?.()
        await setImmediate()
        check()
      }
      while (leaves.length > 0) {
        leaves.shift()?.()
        await setImmediate()
        check()
      }
      await Promise.all(dones)
      while (leaves.length > 0) leaves.shift()?.()
      await setImmediate()
      expect(hosts.map(({ isDisposed }) => isDisposed)).toEqual(
        hosts.map((_, index) => index < hosts.length - 1),
      )
    }),
    { numRuns: 150 },
  )
})
