import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { describeEngines } from '../../../../hosted/src/database/testing/engines.ts'
import { openTestStore } from '../../../../hosted/src/database/testing/open-test-store.ts'
import { readModelCalls } from '../../../../hosted/src/overview/model-calls.ts'
import { startTestApi } from '../../../../hosted/src/serve/testing/start-test-api.ts'
import { makeSession, writeAs } from '../../../../hosted/src/sessions/testing/make-session.ts'
import { askUsage, createUsagePlace } from './testing/open-usage.ts'

const tokens = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 50 }
const bill = { ...tokens, cacheWrite5mTokens: 7, cacheWrite1hTokens: 3, nanoDollars: 5_000_000 }
const end = (nanoDollars: number | null) => ({
  type: 'span.model_request_end',
  hidden: { bill: { ...bill, nanoDollars } },
})

test('counts the calls of hosted agents from their store, while the server writes to it', async () => {
  const place = createUsagePlace()
  const store = openTestStore(join(place.home.databases, 'hosted.sqlite'))
  const server = await startTestApi({ database: store })
  const { id } = await makeSession(server, { title: 'Count tides' })
  await writeAs(server, id, { type: 'session.status_running' }, end(5_000_000))
  const module = place.open()
  await module.start?.()
  await vi.waitFor(async () => expect((await askUsage(module)).import).toBeNull())
  expect((await askUsage(module)).total).toMatchObject({
    calls: 1,
    input_tokens: 1000,
    output_tokens: 200,
    cache_read_tokens: 50,
    cache_write_tokens: 10,
    cost_usd: 0.005,
  })
  await writeAs(server, id, end(null))
  expect((await askUsage(module)).total).toMatchObject({ calls: 2, unpriced_calls: 1 })
  expect(await module.sessions.of(id)).toMatchObject({
    total: { cost_usd: null, computed_usd: 0.005 },
    parts: [{ model: 'claude-opus-4-6', calls: 2 }],
  })
  await module.stop?.()
  await server.stop()
})

describeEngines('a store that is not a file of the data home', (engine) => {
  test('is asked for its calls, each of which counts once', async () => {
    const place = createUsagePlace()
    // The engine closes the database it created.
    const database = { ...(await engine.create()), close: async () => undefined }
    const server = await startTestApi({ database })
    place.hosted.store = async () => ({
      place: 'postgres://db.example/agents',
      callsAfter: (mark, limit) => database.read(() => readModelCalls(mark, limit)),
    })
    const { id } = await makeSession(server, { title: 'Count tides' })
    await writeAs(server, id, { type: 'session.status_running' }, end(5_000_000), end(7_000_000))
    const module = place.open()
    await module.start?.()
    await vi.waitFor(async () => expect((await askUsage(module)).import).toBeNull())
    expect((await askUsage(module)).total).toMatchObject({
      calls: 2,
      input_tokens: 2000,
      cache_write_tokens: 20,
      cost_usd: 0.012,
    })
    server.clock.nowMs += 3_600_000
    await writeAs(server, id, end(null))
    place.bus.publish('live.changed', { topics: ['hosted'] })
    await vi.waitFor(async () =>
      expect((await askUsage(module)).total).toMatchObject({ calls: 3, unpriced_calls: 1 }),
    )
    expect(await module.sessions.of(id)).toMatchObject({ parts: [{ calls: 3 }] })
    await module.stop?.()
    await server.stop()
  })
})
