import { appendFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { claudeRow, claudeTotals, SESSION } from '../usage/testing/claude-rows.ts'
import { createUsageHome, type UsageHome } from '../usage/testing/usage-home.ts'

let home: UsageHome
beforeEach(() => {
  home = createUsageHome()
})

describe('Claude Code', () => {
  it('counts a message of several rows once, with the price of each kind of token', async () => {
    home.write(SESSION, [
      { type: 'user' },
      claudeRow('1'),
      claudeRow('1'),
      claudeRow('1'),
      claudeRow('2'),
    ])
    expect(await home.total()).toEqual([20, 40, 2000, 200])
    const perCall = (10 * 4 + 20 * 20 + 1000 * 0.2 + 60 * 5 + 40 * 8) / 1_000_000
    expect(home.report().total).toMatchObject({ calls: 2, sessions: 1, reported_usd: 0 })
    expect(home.report().total.cost_usd).toBeCloseTo(2 * perCall, 9)
    // What Claude Code 2.1.325 itself reports for eight such calls.
    expect(8 * perCall).toBeCloseTo(0.01008, 9)
  })

  it('counts a row that is written while its answer arrives with its final tokens', async () => {
    home.write(SESSION, [claudeRow('1', { output_tokens: 1 })])
    expect(await home.total()).toEqual([10, 1, 1000, 100])
    home.write(SESSION, [claudeRow('1', { output_tokens: 20 })])
    expect(await home.total()).toEqual([10, 20, 1000, 100])
  })

  it('counts copied rows of a fork for the session they come from, in any order', async () => {
    const copy = claudeRow('1', { output_tokens: 0 }, { sessionId: 's2' })
    const fork = [
      copy,
      claudeTotals(1, 's2'),
      claudeRow('2', {}, { sessionId: 's2' }),
      claudeTotals(2, 's2'),
    ]
    home.write('.claude/projects/-work-shop/s2.jsonl', fork)
    expect((await home.total())[1]).toBe(20)
    home.write(SESSION, [claudeRow('1'), claudeTotals(1)])
    expect(await home.total()).toEqual([20, 40, 2000, 200])
    expect(home.report({ by: 'session' }).rows.map(({ key, calls }) => [key, calls])).toEqual([
      ['s1', 1],
      ['s2', 1],
    ])
  })

  it('counts the rows that a fork copied with their output for the session they come from, in any order', async () => {
    const began = (timestamp: string) => ({ type: 'queue-operation', timestamp })
    const later = { sessionId: 's2', timestamp: '2026-11-10T11:00:01.000Z' }
    // Rows without a time may be all that is written at first.
    home.write('.claude/projects/-work-shop/s2.jsonl', [{ type: 'mode', mode: 'normal' }])
    await home.update()
    // The totals contain those of the parent, one of whose requests has no row.
    const fork = [
      began('2026-11-10T11:00:00.000Z'),
      claudeRow('1', {}, { sessionId: 's2' }),
      claudeRow('2', {}, later),
      claudeTotals(3, 's2'),
    ]
    home.write('.claude/projects/-work-shop/s2.jsonl', fork)
    expect(await home.total()).toEqual([20, 40, 2000, 200])
    home.write(SESSION, [began('2026-11-10T09:59:59.000Z'), claudeRow('1'), claudeTotals(2)])
    expect(await home.total()).toEqual([30, 60, 3000, 300])
    const afterwards = { ...later, timestamp: '2026-11-10T11:00:02.000Z' }
    home.write('.claude/projects/-work-shop/s2.jsonl', [
      claudeRow('3', {}, afterwards),
      claudeTotals(5, 's2'),
    ])
    expect(await home.total()).toEqual([50, 100, 5000, 500])
    expect(home.report({ by: 'session' }).rows.map(({ key, calls }) => [key, calls])).toEqual([
      ['s2', 3],
      ['s1', 2],
    ])
  })

  it('counts requests without a row from the totals, and subagents not twice', async () => {
    const agent = claudeRow('2', {}, { isSidechain: true, agentId: 'a1' })
    home.write('.claude/projects/-work-shop/s1/subagents/agent-a1.jsonl', [agent])
    // One request of the session, one of its agent, and one that summarised it.
    home.write(SESSION, [claudeRow('1'), claudeTotals(3)])
    expect(await home.total()).toEqual([30, 60, 3000, 300])
    // The session goes on in the same file after a restart.
    home.write(SESSION, [claudeRow('3'), claudeTotals(4)])
    expect(await home.total()).toEqual([40, 80, 4000, 400])
    expect(home.report().total.sessions).toBe(1)
    expect(home.report({ by: 'branch' }).rows.map(({ key }) => key)).toEqual(['main'])
  })

  it.each(['before', 'after'])(
    'counts a request that it sent %s the rows of its session for their folder',
    async (order) => {
      const tokens = { input: 30, output: 5, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
      const call = { session: 's1', model: 'claude-opus-5-5', atMs: 1_794_996_000_000, tokens }
      const send = () =>
        home.ledger.receive([{ assistant: 'claude', source: 'logs', key: '1', call }])
      if (order === 'before') send()
      home.write(SESSION, [claudeRow('1')])
      await home.update()
      if (order === 'after') send()
      expect(home.report({ by: 'project', project: '/work/shop' }).rows).toMatchObject([
        { key: '/work/shop', calls: 2, input_tokens: 40 },
      ])
    },
  )

  it('leaves out messages that no model wrote, and rows that are torn or not JSON', async () => {
    const file = home.write(SESSION, [claudeRow('1')])
    const synthetic = claudeRow('9')
    home.write(SESSION, [{ ...synthetic, message: { ...synthetic.message, model: '<synthetic>' } }])
    const line = JSON.stringify(claudeRow('2'))
    appendFileSync(file, `{"usage": torn\n${line.slice(0, 80)}`)
    expect((await home.total())[1]).toBe(20)
    appendFileSync(file, `${line.slice(80)}\n`)
    expect((await home.total())[1]).toBe(40)
  })

  it('reads a file that was rewritten from its start, and keeps what a deleted one contained', async () => {
    const file = home.write(SESSION, [claudeRow('1'), claudeRow('2')])
    await home.total()
    truncateSync(file)
    home.write(SESSION, [claudeRow('3')])
    expect((await home.total())[1]).toBe(60)
    rmSync(file)
    expect((await home.total())[1]).toBe(60)
  })

  it('is found in another folder', async () => {
    home.write(SESSION.replace('.claude', 'other'), [claudeRow('1')])
    await home.update({ CLAUDE_CONFIG_DIR: join(home.homedir, 'other') })
    expect(home.report().total.calls).toBe(1)
  })
})
