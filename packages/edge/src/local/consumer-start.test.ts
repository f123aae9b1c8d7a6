import { fail, StewardError } from '@steward/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTestEdge, type TestEdge } from './testing/start-edge.ts'

// Real processes take their time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const CODE = `export default {
  async fetch(request, env) {
    const start = await env.CONSUMER_START?.fetch('https://consumer/')
    return Response.json({ start: start === undefined ? null : Number(await start.text()) })
  },
  async queue() {},
}`

let edge: TestEdge
let startedAtMs = 0
beforeAll(async () => {
  startedAtMs = Date.now()
  edge = await startTestEdge({
    workers: {
      'f-taker': {
        code: CODE,
        configuration: { queues: { producers: [], consumers: [{ queue: 'items' }] } },
      },
      'f-other': { code: CODE },
    },
    sandboxRunner: {
      start: async () => fail(new StewardError('sandbox_unavailable', { reason: 'not here' })),
    },
  })
})
afterAll(async () => {
  await edge.stop()
  // Miniflare would otherwise look for workerd in a folder that was deleted.
  expect(process.env.MINIFLARE_WORKERD_PATH).toBeUndefined()
})

test('a worker that takes messages knows since when no other process can hold its items', async () => {
  const { body } = await edge.call('f-taker', '/')
  const { start } = Object(body)
  expect(start).toBeGreaterThanOrEqual(startedAtMs)
  expect(start).toBeLessThanOrEqual(Date.now())
  expect((await edge.call('f-other', '/')).body).toEqual({ start: null })
})
