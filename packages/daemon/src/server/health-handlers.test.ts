import { API, health } from '@steward/contract'
import { expect, test } from 'vitest'
import { ReadyJson } from '../module.ts'
import { createHealthHandlers } from './health-handlers.ts'

test('requests that arrive together are answered with one description, later ones with a new one', async () => {
  let described = 0
  let listed = 0
  const handlers = createHealthHandlers({
    now: () => 0,
    modules: [{ name: 'voice', health: () => ({ status: 'ok', described: ++described }) }],
    waitForAll: async () => undefined,
    isStarted: () => true,
    describeServer: async () => ({ status: 'ok', listed: ++listed }),
    describeDashboard: async () => ({ status: 'ok' }),
    port: () => 31337,
    pid: 1,
    startedAt: 0,
    uptimeMs: () => 1000,
    homeRoot: '/data/home',
    redact: (text) => text,
  })
  const [getHealth] = handlers.filter(({ route }) => route === API.getHealth)
  const call = { signal: new AbortController().signal, header: () => undefined }
  const ask = async () => {
    const answer = await getHealth?.answer({ params: {}, query: {}, body: undefined }, call)
    if (!(answer instanceof ReadyJson)) throw new Error('not an answer')
    return health.parse(JSON.parse(String(answer.body)))
  }
  const together = await Promise.all(Array.from({ length: 16 }, ask))
  expect([described, listed]).toEqual([1, 1])
  expect(together.map(({ subsystems }) => subsystems.voice)).toEqual(
    together.map(() => ({ status: 'ok', described: 1 })),
  )
  await ask()
  expect([described, listed]).toEqual([2, 2])
})
