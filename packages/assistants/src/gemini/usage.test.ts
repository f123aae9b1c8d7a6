import { beforeEach, describe, expect, it } from 'vitest'
import { createUsageHome, type UsageHome } from '../usage/testing/usage-home.ts'

let home: UsageHome
beforeEach(() => {
  home = createUsageHome()
})

describe('Gemini CLI', () => {
  it('counts a message that is written twice once, with thoughts and without the cache', async () => {
    const tokens = { input: 10, output: 20, cached: 4, thoughts: 5, tool: 0, total: 35 }
    const row = {
      id: 'm1',
      type: 'gemini',
      model: 'gemini-2.5-pro',
      timestamp: '2026-11-10T10:00:00Z',
      tokens,
    }
    home.write('.gemini/tmp/shop/chats/session-1.jsonl', [row, { $set: { tokens } }, row])
    home.write('.gemini/tmp/shop/chats/session-1/sub.jsonl', [{ ...row, id: 'm2' }])
    expect(await home.total()).toEqual([12, 50, 8, 0])
    expect(home.report()).toMatchObject({
      total: { cost_usd: null, unpriced_calls: 2, sessions: 1 },
      unpriced_models: ['gemini-2.5-pro'],
    })
  })

  it('names a session by the id in its first row, as hooks and telemetry do', async () => {
    const id = 'b16d0f83-a59a-471a-a3c2-dca4693d6b36'
    const tokens = { input: 1106, output: 18, cached: 1003, thoughts: 5, tool: 0, total: 1129 }
    const timestamp = '2026-11-17T05:03:38.730Z'
    const row = { id: 'm1', timestamp, type: 'gemini', model: 'gemini-2.5-pro', tokens }
    const head = { sessionId: id, projectHash: '2dde', startTime: timestamp, kind: 'main' }
    home.write('.gemini/tmp/shop/chats/session-2026-11-17T05-03-b16d0f83.jsonl', [head, row])
    await home.update()
    home.write(`.gemini/tmp/shop/chats/${id}/k3.jsonl`, [
      { ...head, sessionId: 'k3', kind: 'subagent' },
      { ...row, id: 'm2' },
    ])
    await home.update()
    expect(home.report({ by: 'session' }).rows).toMatchObject([{ key: id, calls: 2 }])
  })
})
