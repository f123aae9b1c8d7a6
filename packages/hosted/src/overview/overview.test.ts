import { sessionLog, sessionsOverview } from '@steward/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeEngines } from '../database/testing/engines.ts'
import { startTestApi, type TestApi } from '../serve/testing/start-test-api.ts'
import { makeSession, say, writeAs } from '../sessions/testing/make-session.ts'

const BETA = { 'anthropic-beta': 'managed-agents-2026-04-01' }
const idle = (stop_reason: object) => ({
  type: 'session.status_idle',
  body: { stop_reason, stop_details: null },
})
const callOf = (command: string, evaluated_permission = 'ask') => ({
  type: 'agent.tool_use',
  body: { name: 'bash', input: { command }, evaluated_permission },
})

describeEngines('the overview of sessions', (engine) => {
  let server: TestApi
  beforeAll(async () => {
    // The engine closes the database it created.
    const database = { ...(await engine.create()), close: async () => undefined }
    server = await startTestApi({ database })
  })
  afterAll(() => server.stop())

  const ask = async (path: string, key = server.key) => {
    const headers = { 'x-api-key': key, ...BETA }
    const answer = await fetch(`${server.address}/v1/steward${path}`, { headers })
    return { status: answer.status, body: await answer.json() }
  }
  const overview = async (query = '') =>
    sessionsOverview.parse((await ask(`/sessions${query}`)).body)
  const log = async (id: string, query = '') =>
    sessionLog.parse((await ask(`/sessions/${id}/log${query}`)).body)

  test('newest first, with cost, budget and the last event that clients see', async () => {
    const first = await makeSession(server, {
      title: 'Count tides',
      budget: { type: 'limit', max_list_cost: { amount: '250', currency: 'USD' } },
    })
    const bill = { inputTokens: 1000, outputTokens: 200, cacheReadTokens: 0 }
    const written = { cacheWrite5mTokens: 7, cacheWrite1hTokens: 3, nanoDollars: 5_000_000 }
    await writeAs(
      server,
      first.id,
      { type: 'session.status_running' },
      { type: 'span.model_request_end', hidden: { bill: { ...bill, ...written } } },
      { type: 'agent.message', body: { content: [{ type: 'text', text: 'High at six.' }] } },
      { type: 'brain.mark', listed: false },
    )
    server.clock.nowMs += 3_600_000
    const second = await makeSession(server)
    const { sessions, more } = await overview()
    expect(more).toBe(false)
    expect(sessions.map(({ id }) => id)).toEqual([second.id, first.id])
    expect(sessions[0]).toMatchObject({
      last: null,
      waiting: [],
      stopReason: null,
      budgetUsd: null,
    })
    expect(sessions[1]).toMatchObject({
      title: 'Count tides',
      status: 'running',
      activeMs: 3_600_000,
      budgetUsd: 2.5,
      tokens: { input: 1000, output: 200, cacheRead: 0, cacheWrite: 10 },
      cost: {
        tokenUsd: 0.005,
        timeUsd: 0.08,
        totalUsd: 0.085,
        isLowerBound: false,
        isEstimated: false,
      },
      last: { type: 'agent.message', seq: 3 },
    })
  })

  test('shows waiting calls in full until they are answered, and none for archived sessions', async () => {
    const { id } = await makeSession(server)
    const [asked, mine, workers] = await writeAs(
      server,
      id,
      callOf('rm -rf build'),
      { type: 'agent.custom_tool_use', body: { name: 'ask_ada', input: {} } },
      callOf('ls', 'allow'),
    )
    const ids = [asked, mine, workers].map((event) => event?.id ?? '')
    await writeAs(server, id, idle({ type: 'requires_action', event_ids: ids }))
    const row = async () => (await overview()).sessions.find((session) => session.id === id)
    expect(await row()).toMatchObject({
      stopReason: 'requires_action',
      waiting: [
        { id: ids[0], tool: 'bash', input: { command: 'rm -rf build' }, needs: 'permission' },
        { id: ids[1], tool: 'ask_ada', needs: 'result' },
        { id: ids[2], needs: 'worker' },
      ],
    })
    await server.client.beta.sessions.events.send(id, {
      events: [{ type: 'user.tool_confirmation', tool_use_id: ids[0] ?? '', result: 'allow' }],
    })
    expect((await row())?.waiting.map((call) => call.id)).toEqual(ids.slice(1))
    await server.client.beta.sessions.archive(id)
    expect(await row()).toBeUndefined()
    const { sessions } = await overview('?archived=true')
    expect(sessions).toMatchObject([{ id, waiting: [] }])
    expect(sessions[0]?.archivedAt).not.toBeNull()
  })

  test('a log is read from its end, backwards and forwards', async () => {
    const { id } = await makeSession(server)
    for (const text of ['a', 'b', 'c', 'd'])
      await server.client.beta.sessions.events.send(id, { events: [say(text)] })
    await writeAs(server, id, { type: 'brain.mark', listed: false })
    const seen = async (query: string) => {
      const { events, earlier, later } = await log(id, query)
      return [events.map(({ seq }) => seq), earlier, later]
    }
    expect(await seen('')).toEqual([[1, 2, 3, 4], false, false])
    expect(await seen('?limit=2')).toEqual([[3, 4], true, false])
    expect(await seen('?limit=2&before=3')).toEqual([[1, 2], false, true])
    expect(await seen('?limit=1&after=1')).toEqual([[2], true, true])
    expect(await seen('?after=4')).toEqual([[], true, false])
    expect((await log(id)).events[0]).toMatchObject({ type: 'user.message', processed_at: null })
  })

  test('requires a key with read permission and an existing session', async () => {
    expect((await ask('/sessions', 'sk-steward-nobody')).status).toBe(401)
    const key = await server.makeKey({ scope: 'environment', environmentId: 'env_1' })
    expect((await ask('/sessions', key)).status).toBe(403)
    expect((await ask('/sessions/sesn_none/log')).status).toBe(404)
    expect((await ask('/sessions/%00/log?after=-1')).status).toBe(400)
    expect((await ask('/sessions?archived=perhaps')).status).toBe(400)
  })
})
