import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { claudeRow, SESSION } from './testing/claude-rows.ts'
import { createUsageHome, type UsageHome } from './testing/usage-home.ts'

let home: UsageHome
beforeEach(() => {
  home = createUsageHome()
})

it('derives windows from the calls, and compares them with the largest earlier one', async () => {
  const at = (timestamp: string) => ({ timestamp })
  home.write(SESSION, [
    claudeRow('1', {}, at('2026-11-09T08:30:00Z')),
    claudeRow('2', {}, at('2026-11-09T12:59:00Z')),
    claudeRow('3', {}, at('2026-11-10T09:10:00Z')),
  ])
  await home.update()
  expect(home.ledger.windows(Date.parse('2026-11-10T10:05:00Z'))).toMatchObject([
    { kind: 'five_hours', started_at: '2026-11-10T09:00:00.000Z', used_percent: 50, tokens: 1130 },
    { kind: 'week', started_at: '2026-11-09T08:00:00.000Z', used_percent: null, tokens: 3390 },
  ])
  expect(home.ledger.windows(Date.parse('2026-11-10T14:05:00Z'))).toMatchObject([{ kind: 'week' }])
})

it('compares tokens if a call of the window has no price: no cost is not no use', async () => {
  const unpriced = claudeRow('2', {}, { timestamp: '2026-11-10T09:10:00Z' })
  const calls = [
    claudeRow('1', {}, { timestamp: '2026-11-09T08:30:00Z' }),
    { ...unpriced, message: { ...unpriced.message, model: 'my-own' } },
  ]
  home.write(SESSION, calls)
  await home.update()
  const nowMs = Date.parse('2026-11-10T10:05:00Z')
  expect(home.ledger.windows(nowMs)[0]).toMatchObject({
    known_usd: 0,
    used_percent: 100,
    tokens: 1130,
  })
  expect(home.ledger.sumSince({ sinceMs: nowMs - 3_600_000 })).toMatchObject([
    { session: 's1', usd: 0, isPartial: true },
  ])
})

it('groups by time and names assistants, and reports a file that it cannot read', async () => {
  home.write(SESSION, [
    claudeRow('1'),
    claudeRow('2', {}, { timestamp: '2026-11-12T12:00:00.000Z' }),
  ])
  await home.update()
  expect(home.report({ by: 'day' }).rows.map(({ key }) => key)).toEqual([
    '2026-11-10',
    '2026-11-12',
  ])
  expect(home.report({ by: 'week' }).rows.map(({ key }) => key)).toEqual(['2026-11-09'])
  expect(home.report({ by: 'month' }).rows.map(({ key, calls }) => [key, calls])).toEqual([
    ['2026-11', 2],
  ])
  expect(home.report({ by: 'assistant', since: '2026-11-11' }).rows).toMatchObject([
    { key: 'claude', calls: 1 },
  ])
  mkdirSync(join(home.homedir, '.local/share/opencode'), { recursive: true })
  writeFileSync(join(home.homedir, '.local/share/opencode/opencode.db'), 'this is no database')
  expect(await home.update()).toEqual([expect.stringContaining('opencode.db')])
  expect(home.report().total.calls).toBe(2)
})

describe('Codex and Gemini CLI in another folder', () => {
  it.each([
    ['CODEX_HOME', 'other', 'other/sessions/2026/11/10/rollout-1-t1.jsonl'],
    ['GEMINI_CLI_HOME', 'other', 'other/.gemini/tmp/shop/chats/session-1.jsonl'],
  ])('are found by %s', async (name, folder, path) => {
    const timestamp = '2026-11-10T10:00:00.000Z'
    const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 }
    const tokens = { input: 10, output: 20, cached: 0, thoughts: 0, tool: 0, total: 30 }
    const payload = { thread_id: 't1', session_id: 't1', response_id: 'r1', usage }
    home.write(path, [
      { type: 'turn_context', payload: { model: 'gpt-6-sol' } },
      { timestamp, type: 'token_usage_record', payload },
      { id: 'm1', timestamp, type: 'gemini', model: 'gemini-2.5-pro', tokens },
    ])
    await home.update({ [name]: join(home.homedir, folder) })
    expect(home.report().total).toMatchObject({ calls: 1, output_tokens: 20 })
  })
})
