import { expect, test } from 'vitest'
import type { WorkerPorts } from '../platform.ts'
import { createContainerClass } from './create-container-class.ts'
import { createSandboxWorker } from './create-sandbox-worker.ts'
import type { ContainerState, PlatformContainer } from './platform-container.ts'

const SECRETS = ['AUTH_TOKEN', 'MY_KEY', 'NOT_SET']
const ENV = { AUTH_TOKEN: 'token', MY_KEY: 'key', OTHER: 'not for the container' }

/**
 * The platform's side: a container that listens after a while, and a clock that advances on waits.
 */
const createPlatform = ({ listensAfterMs = 1000, fails = '' } = {}) => {
  let nowMs = 0
  let startedAtMs: number | undefined
  const started: unknown[] = []
  const destroyed: unknown[] = []
  const alarms: number[] = []
  const served: string[] = []
  const container: PlatformContainer = {
    get running() {
      return startedAtMs !== undefined
    },
    start: (options) => {
      started.push(options)
      startedAtMs = nowMs
    },
    destroy: async (reason) => {
      destroyed.push(reason)
      startedAtMs = undefined
    },
    monitor: () => (fails === '' ? new Promise(() => undefined) : Promise.reject(new Error(fails))),
    getTcpPort: (port) => ({
      fetch: async (request) => {
        if (startedAtMs === undefined || nowMs < startedAtMs + listensAfterMs) {
          throw new Error('the container is not listening')
        }
        const { pathname } = new URL(request.url)
        served.push(`${port} ${request.method} ${pathname} ${await request.text()}`)
        return Response.json({ success: true })
      },
    }),
  }
  const ports: WorkerPorts = {
    now: () => nowMs,
    fetch: () => Promise.reject(new Error('nothing is fetched')),
    startTimer: (delayMs, onElapsed) => {
      nowMs += delayMs
      queueMicrotask(onElapsed)
      return () => undefined
    },
    log: () => undefined,
  }
  const state: ContainerState = {
    container,
    storage: {
      setAlarm: async (timeMs) => {
        alarms.push(timeMs)
      },
    },
  }
  const ActionContainer = createContainerClass(SECRETS, ports)
  const object = new ActionContainer(state, ENV)
  const namespace = { idFromName: (name: string) => name, get: () => object }
  const worker = createSandboxWorker('A_COUNT_FILES', ports)
  const ask = (path: string, init: RequestInit = {}) =>
    worker.fetch(
      new Request(`https://worker.example${path}`, init),
      { ...ENV, CONTAINER: namespace },
      { waitUntil: () => undefined },
    )
  return { object, ask, started, destroyed, alarms, served }
}

const POST = { method: 'POST', headers: { authorization: 'Bearer token' }, body: '{"a":1}' }

test('the first request starts the container with only its secrets and waits until it listens', async () => {
  const { ask, started, served, alarms } = createPlatform()
  expect((await ask('/', POST)).status).toBe(200)
  expect((await ask('/', POST)).status).toBe(200)
  expect(started).toEqual([
    { env: { AUTH_TOKEN: 'token', MY_KEY: 'key', PORT: '8080' }, enableInternet: true },
  ])
  expect(served).toEqual(['8080 GET /health ', '8080 POST / {"a":1}', '8080 POST / {"a":1}'])
  expect(alarms).toEqual([601_000, 601_000])
})

test.each<[string, string, RequestInit, number]>([
  ['health', '/health', {}, 200],
  ['a stranger', '/', { method: 'POST', body: '{}' }, 401],
  ['another path', '/other', POST, 405],
  ['another method', '/', { ...POST, method: 'PUT' }, 405],
])('%s wakes no container', async (_, path, init, status) => {
  const { ask, started } = createPlatform()
  expect((await ask(path, init)).status).toBe(status)
  expect(started).toEqual([])
})

test('an idle container is stopped, and started again by the next request', async () => {
  const { ask, object, started, destroyed } = createPlatform()
  await ask('/', POST)
  await object.alarm()
  expect(destroyed).toEqual(['idle'])
  expect((await ask('/', POST)).status).toBe(200)
  expect(started).toHaveLength(2)
})

test('a container that does not start is an error with the reason, and the next request tries again', async () => {
  const never = createPlatform({ listensAfterMs: Number.POSITIVE_INFINITY })
  const answer = await never.ask('/', POST)
  expect(answer.status).toBe(502)
  expect(await answer.json()).toMatchObject({
    code: 'upstream_failed',
    error: expect.stringContaining('does not listen after 60000 ms'),
  })
  const broken = createPlatform({
    listensAfterMs: Number.POSITIVE_INFINITY,
    fails: 'exited with code 1',
  })
  const error = await (await broken.ask('/', POST)).json()
  expect(error).toMatchObject({ error: expect.stringContaining('exited with code 1') })
})
