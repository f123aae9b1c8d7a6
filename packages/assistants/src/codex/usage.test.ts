import { beforeEach, describe, expect, it } from 'vitest'
import { createUsageHome, type UsageHome } from '../usage/testing/usage-home.ts'

let home: UsageHome
beforeEach(() => {
  home = createUsageHome()
})

describe('Codex', () => {
  const usage = {
    input_tokens: 10,
    cached_input_tokens: 4,
    cache_write_input_tokens: 0,
    output_tokens: 20,
    reasoning_output_tokens: 5,
    total_tokens: 30,
  }
  const record = (id: string, thread = 't1') => ({
    timestamp: '2026-11-10T10:00:00.000Z',
    type: 'token_usage_record',
    payload: { thread_id: thread, session_id: 't1', response_id: id, usage },
  })
  const count = {
    type: 'event_msg',
    payload: { type: 'token_count', info: { last_token_usage: usage } },
  }

  it('counts each response once, with the model of its turn, and its subagents and reviews', async () => {
    const folder = '.codex/sessions/2026/11/10'
    home.write(`${folder}/rollout-1-t1.jsonl`, [
      { type: 'session_meta', payload: { id: 't1', cwd: '/work/shop', git: { branch: 'main' } } },
      { type: 'turn_context', payload: { model: 'gpt-6-sol', cwd: '/work/shop' } },
      record('resp_1'),
      count,
      count,
      record('resp_2'),
      record('resp_2'),
    ])
    home.write(`${folder}/rollout-2-t2.jsonl`, [
      { type: 'session_meta', payload: { id: 't2', thread_source: 'guardian_review' } },
      { type: 'turn_context', payload: { model: 'gpt-6-luna' } },
      record('resp_3', 't2'),
    ])
    expect(await home.total()).toEqual([18, 60, 12, 0])
    expect(home.report().total).toMatchObject({ calls: 3, sessions: 1 })
    expect(home.report({ by: 'model' }).rows.map(({ key, calls }) => [key, calls])).toEqual([
      ['gpt-6-sol', 2],
      ['gpt-6-luna', 1],
    ])
    expect(home.report({ by: 'project', project: 'shop' }).rows.map(({ key }) => key)).toEqual([
      '/work/shop',
    ])
  })
})

describe('Codex before token_usage_record', () => {
  const count = (id: number, output: number, used = 10) => ({
    timestamp: `2026-11-10T10:0${id}:00.000Z`,
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: {
        total_token_usage: {
          input_tokens: output,
          cached_input_tokens: 0,
          output_tokens: output,
          total_tokens: output * 2,
        },
      },
      rate_limits: { primary: { used_percent: used, window_minutes: 300, resets_in_seconds: 600 } },
    },
  })

  it('counts how far the total of the thread grew, and knows its limits and title', async () => {
    const path = '.codex/sessions/2026/11/10/rollout-1-t9.jsonl'
    home.write(path, [
      { type: 'session_meta', payload: { id: 't9', cwd: '/work/shop' } },
      { type: 'turn_context', payload: { model: 'gpt-6-sol' } },
      { type: 'event_msg', payload: { type: 'user_message', message: 'Repair the till\nnow' } },
      count(1, 20),
      count(2, 20),
      count(3, 50),
    ])
    expect((await home.total())[1]).toBe(50)
    home.write(path, [count(4, 50), count(5, 60, 42)])
    expect((await home.total())[1]).toBe(60)
    expect(home.report({ by: 'session' }).rows).toMatchObject([
      { key: 't9', title: 'Repair the till', calls: 3, projected_usd: expect.any(Number) },
    ])
    expect(home.ledger.windows(Date.parse('2026-11-10T10:06:00Z'))[0]).toMatchObject({
      assistant: 'codex',
      kind: 'five_hours',
      used_percent: 42,
      basis: 'vendor',
      resets_at: '2026-11-10T10:15:00.000Z',
    })
  })
})
