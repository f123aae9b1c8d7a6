import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fail, ok, StewardError } from '@steward/contract'
import { afterEach, expect, test } from 'vitest'
import type { Clock } from './clock.ts'
import { askSocket, createSandboxWorker, type SandboxRunner } from './sandbox-worker.ts'
import { directoryOf } from './testing/directory-of.ts'

const folder = mkdtempSync(join(tmpdir(), 'steward-sandbox-'))
const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
  rmSync(folder, { recursive: true, force: true })
})

/** Short waits, for a process to listen, are skipped; long ones only when a test says so. */
const createClock = () => {
  const waiting = new Map<() => void, number>()
  let nowMs = 0
  const clock: Clock = {
    now: () => nowMs,
    at: (timeMs, call) => {
      if (timeMs - nowMs < 1000) {
        const timer = globalThis.setImmediate(call)
        return () => clearImmediate(timer)
      }
      waiting.set(call, timeMs)
      return () => waiting.delete(call)
    },
  }
  return {
    clock,
    goTo: (timeMs: number) => {
      nowMs = timeMs
      for (const [call, dueAtMs] of waiting) {
        if (dueAtMs > nowMs) continue
        waiting.delete(call)
        call()
      }
    },
  }
}

const SERVER = `
const server = require('node:http').createServer((request, response) => {
  if (request.url === '/end') process.exit(3)
  let body = ''
  request.on('data', (chunk) => { body += chunk })
  request.on('end', () => response.writeHead(201, { 'x-pid': process.pid }).end(request.method + ' ' + request.url + ' ' + body + ' ' + process.env.GIVEN))
})
server.listen(process.env.SOCKET_PATH)
`

/** Real processes without a sandbox, because isolation is the runner's task. */
const createRunner = (code: string) => {
  const pids: number[] = []
  const exits: Promise<string>[] = []
  const runner: SandboxRunner = {
    start: async ({ environment }) => {
      const socketPath = join(mkdtempSync(join(tmpdir(), 'steward-box-')), 'socket')
      const child = spawn(process.execPath, ['-e', code], {
        env: { ...environment, SOCKET_PATH: socketPath },
        stdio: 'ignore',
      })
      pids.push(child.pid ?? 0)
      const ended = once(child, 'exit').then(([status]) => `code ${status}`)
      exits.push(ended)
      const stop = async () => {
        child.kill('SIGKILL')
        await ended
        rmSync(join(socketPath, '..'), { recursive: true, force: true })
      }
      closing.push(stop)
      return ok({ socketPath, ended, stop })
    },
  }
  return { runner, pids, exits, alive: () => pids.filter((pid) => existsSync(`/proc/${pid}`)) }
}

const open = (code = SERVER) => {
  const { clock, goTo } = createClock()
  const started = createRunner(code)
  const directory = directoryOf('a-test', { tier: 'sandbox' })
  const worker = createSandboxWorker(directory, { GIVEN: 'given' }, started.runner, clock)
  const ask = (path: string) =>
    worker.use(async (opened) => {
      if (!opened.ok) throw opened.error
      const body = Buffer.from('body')
      const answer = await askSocket(opened.value, { method: 'POST', path, headers: {}, body })
      return { ...answer, body: Buffer.from(answer.body).toString() }
    })
  return { ...started, worker, ask, goTo }
}

test('one process serves many concurrent requests, and ends after a minute without any', async () => {
  const { worker, ask, goTo, pids, alive } = open()
  const answers = await Promise.all([ask('/1'), ask('/2'), ask('/3')])
  expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual([
    '201 POST /1 body given',
    '201 POST /2 body given',
    '201 POST /3 body given',
  ])
  expect(answers[0]?.headers).toContainEqual(['x-pid', String(pids[0])])
  goTo(59_999)
  await ask('/4')
  goTo(119_998)
  expect(alive()).toEqual(pids)
  expect(pids).toHaveLength(1)
  goTo(119_999)
  await worker.stop()
  await ask('/5')
  expect(pids).toHaveLength(2)
  expect(alive()).toEqual(pids.slice(1))
})

test('a process that ended is started again by the next request', async () => {
  const { ask, pids, exits } = open()
  await ask('/')
  await expect(ask('/end')).rejects.toThrow('hang up')
  expect(await exits[0]).toBe('code 3')
  expect((await ask('/')).status).toBe(201)
  expect(pids).toHaveLength(2)
})

test('work that can be repeated is done by a new process if the old one accepts no connection', async () => {
  const { clock } = createClock()
  const started = createRunner(SERVER)
  // Its end is noticed late.
  const runner: SandboxRunner = {
    start: async (options) => {
      const process = await started.runner.start(options)
      return process.ok
        ? ok({ ...process.value, ended: new Promise<string>(() => undefined) })
        : process
    },
  }
  const directory = directoryOf('a-test', { tier: 'sandbox' })
  const worker = createSandboxWorker(directory, { GIVEN: 'given' }, runner, clock)
  const ask = (isRepeatable: boolean) =>
    worker.use(
      async (opened) => {
        if (!opened.ok) throw opened.error
        const request = { method: 'POST', path: '/', headers: {}, body: Buffer.from('body') }
        return (await askSocket(opened.value, request)).status
      },
      { isRepeatable },
    )
  expect(await ask(true)).toBe(201)
  process.kill(started.pids[0] ?? 0, 'SIGKILL')
  await started.exits[0]
  await expect(ask(false)).rejects.toThrow('ECONNREFUSED')
  expect(await Promise.all([ask(true), ask(true)])).toEqual([201, 201])
  expect(started.pids).toHaveLength(2)
})

test('a request during the end of a process gets a new one, which is kept', async () => {
  const { worker, ask, pids, alive } = open()
  await ask('/')
  const [, answer] = await Promise.all([worker.stop(), ask('/')])
  expect(answer.headers).toContainEqual(['x-pid', String(pids[1])])
  expect((await ask('/')).headers).toContainEqual(['x-pid', String(pids[1])])
  await worker.stop()
  expect(alive()).toEqual([])
})

test('a retired worker ends its process after the last request', async () => {
  const { worker, ask, alive, pids } = open()
  const go = Promise.withResolvers<void>()
  const inside = worker.use(async () => go.promise)
  await ask('/')
  const retired = worker.retire()
  expect(await ask('/')).toMatchObject({ status: 201 })
  expect(alive()).toEqual(pids)
  go.resolve()
  await inside
  await retired
  expect(alive()).toEqual([])
})

test('a process that exits before it listens, or never listens, gives an error; the next request tries again', async () => {
  const ends = open('process.exit(7)')
  await expect(ends.ask('/')).rejects.toMatchObject({
    code: 'action_failed',
    message: expect.stringContaining('code 7'),
  })
  await expect(ends.ask('/')).rejects.toMatchObject({ code: 'action_failed' })
  expect(ends.pids).toHaveLength(2)

  const silent = open('setInterval(() => undefined, 1000)')
  const asked = silent.ask('/')
  while (silent.pids.length === 0) await setImmediate()
  await setImmediate()
  silent.goTo(15_001)
  await expect(asked).rejects.toThrow('it does not listen after 15000 ms')
  expect(silent.alive()).toEqual([])
})

test('a missing sandbox gives an error, which is not cached', async () => {
  const { clock } = createClock()
  const directory = directoryOf('a-test', { tier: 'sandbox' })
  const unavailable = new StewardError('sandbox_unavailable', { reason: 'none is installed' })
  let asked = 0
  const runner: SandboxRunner = {
    start: async () => {
      asked += 1
      if (asked === 2) throw new Error('out of memory')
      return fail(unavailable)
    },
  }
  const worker = createSandboxWorker(directory, {}, runner, clock)
  const use = () => worker.use(async (opened) => opened)
  expect(await use()).toEqual(fail(unavailable))
  expect(await use()).toMatchObject({
    error: { code: 'sandbox_unavailable', message: expect.stringContaining('out of memory') },
  })
  expect(await use()).toEqual(fail(unavailable))
  await worker.stop()
})
