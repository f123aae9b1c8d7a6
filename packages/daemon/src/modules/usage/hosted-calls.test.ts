import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openTestStore } from '../../../../hosted/src/database/testing/open-test-store.ts'
import { startTestApi } from '../../../../hosted/src/serve/testing/start-test-api.ts'
import { makeSession, writeAs } from '../../../../hosted/src/sessions/testing/make-session.ts'
import { askUsage, createUsagePlace } from './testing/open-usage.ts'

test('counts the calls of hosted agents from their store, while the server writes to it', async () => {
  const place = createUsagePlace()
  const store = openTestStore(join(place.home.databases, 'hosted.sqlite'))
  const server = await startTestApi({ database: store })
  const { id } = await makeSession(server, { title: 'Count tides' })
  const tokens = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 50 }
  const bill = { ...tokens, cacheWrite5mTokens: 7, cacheWrite1hTokens: 3, nanoDollars: 5_000_000 }
  const end = (nanoDollars: number | null) => ({
    type: 'span.model_request_end',
    hidden: { bill: { ...bill, nanoDollars } },
  })
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
