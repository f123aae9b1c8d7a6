import { API } from '@steward/contract'
import { expect, test } from 'vitest'
import type { DaemonModule } from '../module.ts'
import { createModuleRunner } from './module-runner.ts'

const lines: string[] = []
const log = {
  info: (message: string) => void lines.push(`info ${message}`),
  warn: (message: string) => void lines.push(`warn ${message}`),
  error: (message: string) => void lines.push(`error ${message}`),
}

/** Timers fired by the test, earliest first. */
const handTimers = () => {
  const timers = new Set<{ delayMs: number; action: () => void }>()
  return {
    setTimer: (delayMs: number, action: () => void) => {
      const timer = { delayMs, action }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    delays: () => [...timers].map(({ delayMs }) => delayMs).sort((one, other) => one - other),
    ringFirst: () => {
      const [first] = [...timers].sort((one, other) => one.delayMs - other.delayMs)
      if (first === undefined) throw new Error('no timer is set')
      timers.delete(first)
      first.action()
    },
  }
}

const module = (name: string, given: Partial<DaemonModule> = {}): DaemonModule => ({
  name,
  handlers: [],
  health: () => ({ status: 'ok' }),
  ...given,
})
const never = () => new Promise<void>(() => undefined)

test('a failing module is reported with its reason, and the others run', async () => {
  const { setTimer } = handTimers()
  const runner = createModuleRunner(
    [
      module('one', { start: () => Promise.reject(new Error('no disk')) }),
      module('two', { start: async () => undefined }),
    ],
    { log, setTimer },
  )
  await runner.start()
  const [one, two] = runner.modules
  expect(one?.health()).toEqual({ status: 'failed', reasons: ['no disk'] })
  expect(() => one?.checkRunning()).toThrow('the one module is not running: no disk')
  expect(two?.health()).toEqual({ status: 'ok' })
  expect(() => two?.checkRunning()).not.toThrow()
})

test('a module that throws immediately or has a broken health is handled the same way', async () => {
  const { setTimer } = handTimers()
  const thrower = () => {
    throw new Error('at once')
  }
  const runner = createModuleRunner(
    [module('one', { start: thrower }), module('two', { health: thrower })],
    { log, setTimer },
  )
  await runner.start()
  expect(runner.modules.map(({ health }) => health().status)).toEqual(['failed', 'failed'])
})

test('a failed start is retried with growing delays until it works', async () => {
  const timers = handTimers()
  let attempts = 0
  const start = async () => {
    attempts += 1
    if (attempts < 4) throw new Error('not yet')
  }
  const runner = createModuleRunner([module('slow', { start })], {
    log,
    setTimer: timers.setTimer,
  })
  await runner.start()
  for (const delayMs of [1000, 2000, 4000]) {
    await expect.poll(timers.delays).toEqual([delayMs])
    timers.ringFirst()
  }
  await expect.poll(() => runner.modules[0]?.health().status).toBe('ok')
  expect(attempts).toBe(4)
  expect(lines.at(-1)).toBe('info slow started at attempt 4')
})

test('a start that never ends does not block the others', async () => {
  const timers = handTimers()
  const runner = createModuleRunner([module('stuck', { start: never }), module('next')], {
    log,
    setTimer: timers.setTimer,
  })
  const started = runner.start()
  timers.ringFirst()
  await started
  const [stuck, next] = runner.modules
  expect(stuck?.health()).toEqual({ status: 'degraded', reasons: ['it is still starting'] })
  expect(next?.health()).toEqual({ status: 'ok' })
})

test('they stop in reverse order, failing ones too; one that never started is skipped', async () => {
  const { setTimer } = handTimers()
  const stopped: string[] = []
  const stop = (name: string) => async () => void stopped.push(name)
  const runner = createModuleRunner(
    [
      module('one', { stop: stop('one') }),
      module('two', { stop: () => Promise.reject(new Error('stuck file')) }),
      module('three', { start: () => Promise.reject(new Error('no')), stop: stop('three') }),
      module('four', { stop: stop('four') }),
    ],
    { log, setTimer },
  )
  await runner.start()
  await runner.stop()
  expect(stopped).toEqual(['four', 'one'])
  expect(lines.join()).toContain('two did not stop cleanly: stuck file')
  expect(runner.modules[0]?.health()).toEqual({ status: 'stopped' })
  expect(() => runner.modules[0]?.checkRunning()).toThrow('the daemon is stopping')
})

test('a stop that never ends does not block the others', async () => {
  const timers = handTimers()
  const stopped: string[] = []
  const runner = createModuleRunner(
    [
      module('one', { stop: async () => void stopped.push('one') }),
      module('stuck', { stop: never }),
    ],
    { log, setTimer: timers.setTimer },
  )
  await runner.start()
  const done = runner.stop()
  timers.ringFirst()
  await done
  expect(stopped).toEqual(['one'])
})

test('no retry comes after a stop', async () => {
  const timers = handTimers()
  const runner = createModuleRunner(
    [module('one', { start: () => Promise.reject(new Error('no')) })],
    { log, setTimer: timers.setTimer },
  )
  await runner.start()
  await runner.stop()
  expect(timers.delays()).toEqual([])
})

const held = () => {
  const gate = Promise.withResolvers<void>()
  return { open: gate.resolve, wait: () => gate.promise }
}
/** Whether a promise is settled. */
const stateOf = async (work: Promise<unknown>): Promise<string> => {
  await new Promise((resolve) => setImmediate(resolve))
  const pending = Symbol()
  return Promise.race([work, Promise.resolve(pending)]).then(
    (value) => (value === pending ? 'waiting' : 'answered'),
    (thrown: unknown) => String(thrown),
  )
}

test('a request waits for its own module to load and start, and no longer', async () => {
  const { setTimer } = handTimers()
  const one = held()
  const two = held()
  const runner = createModuleRunner(
    [
      { name: 'one', routes: [API.getVoice], load: async () => module('one', { start: one.wait }) },
      module('two', { start: two.wait }),
    ],
    { log, setTimer },
  )
  const started = runner.start()
  const request = runner.modules[0]?.waitUntilRunning(API.getVoice) ?? Promise.resolve()
  expect(await stateOf(request)).toBe('waiting')
  one.open()
  await request
  two.open()
  await started
})

test('a request that changes something waits for the listeners of a module that starts before them', async () => {
  const { setTimer } = handTimers()
  const listener = held()
  const runner = createModuleRunner(
    [
      { name: 'one', routes: [], load: async () => module('one'), isBeforeListeners: true },
      module('two', { start: listener.wait }),
    ],
    { log, setTimer },
  )
  const started = runner.start()
  const change = runner.modules[0]?.waitUntilRunning(API.muteVoice) ?? Promise.resolve()
  await runner.modules[0]?.waitUntilRunning(API.getVoice)
  expect(await stateOf(change)).toBe('waiting')
  listener.open()
  await change
  await started
})

test('a request also waits for the modules that its module asks', async () => {
  const { setTimer } = handTimers()
  const asked = held()
  const runner = createModuleRunner(
    [
      { name: 'one', routes: [], load: async () => module('one'), asks: ['two'] },
      module('two', { start: asked.wait }),
    ],
    { log, setTimer },
  )
  const started = runner.start()
  const request = runner.modules[0]?.waitUntilRunning(API.getVoice) ?? Promise.resolve()
  expect(await stateOf(request)).toBe('waiting')
  asked.open()
  await request
  await started
})

test('a request waits a limited time for a module that never starts', async () => {
  const timers = handTimers()
  const runner = createModuleRunner([module('stuck', { start: never })], {
    log,
    setTimer: timers.setTimer,
    requestWaitMs: 10,
  })
  void runner.start()
  const request = runner.modules[0]?.waitUntilRunning(API.getVoice)
  timers.ringFirst()
  await expect(request).rejects.toThrow('the stuck module is not running: it is still starting')
})

test('a module whose code cannot be loaded fails alone and is loaded again', async () => {
  const timers = handTimers()
  let loads = 0
  const load = async () => {
    loads += 1
    if (loads === 1) throw new Error('no such file')
    return module('one', { handlers: [{ route: API.getVoice, answer: () => 'hello' }] })
  }
  const runner = createModuleRunner(
    [{ name: 'one', routes: [API.getVoice], load }, module('two')],
    { log, setTimer: timers.setTimer },
  )
  await runner.start()
  const [one, two] = runner.modules
  expect(one?.health()).toEqual({ status: 'failed', reasons: ['no such file'] })
  await expect(one?.waitUntilRunning(API.getVoice)).rejects.toThrow('no such file')
  await two?.waitUntilRunning(API.getVoice)
  timers.ringFirst()
  await expect.poll(() => one?.health().status).toBe('ok')
  const call = { signal: new AbortController().signal, header: () => undefined }
  const input = { params: {}, query: {}, body: undefined }
  expect(one?.handlers[0]?.answer(input, call)).toBe('hello')
})

test('a stop during the start stops running modules and starts no more', async () => {
  const { setTimer } = handTimers()
  const one = held()
  const told: string[] = []
  const runner = createModuleRunner(
    [
      module('one', { start: one.wait, stop: async () => void told.push('one stopped') }),
      module('two', { start: async () => void told.push('two started') }),
    ],
    { log, setTimer },
  )
  const started = runner.start()
  const stopped = runner.stop()
  one.open()
  await Promise.all([started, stopped])
  expect(told).toEqual(['one stopped'])
})
