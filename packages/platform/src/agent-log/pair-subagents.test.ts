import { subagentRun } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairSubagents } from './pair-subagents.ts'

const NOW = Date.UTC(2026, 2, 1)
const iso = (atMs: number): string => new Date(atMs).toISOString()

const row = (seconds: number, type: string, fields: object) => ({
  timestamp: iso(NOW + seconds * 1000),
  session_id: 'u',
  source: 'subagent' as const,
  type,
  ...fields,
})

describe('pairSubagents', () => {
  it('pairs by either id; a launch into the background is not a stop and links the two ids', () => {
    const events = [
      row(0, 'subagent_start', { tool_use_id: 't1', subagent_type: 'Explore', description: 'one' }),
      row(1, 'subagent_spawned_async', { tool_use_id: 't1', subagent_id: 's1' }),
      row(2, 'subagent_start', { subagent_id: 's2', description: 'one' }),
    ]
    expect(pairSubagents(events)).toMatchObject([
      { subagent_id: 's2', status: 'running' },
      { subagent_id: 's1', subagent_type: 'Explore', status: 'running', startedAt: iso(NOW) },
    ])
    expect(
      pairSubagents([...events, row(9, 'subagent_stop', { subagent_id: 's1' })]),
    ).toMatchObject([
      { subagent_id: 's2', status: 'running' },
      { subagent_id: 's1', status: 'stopped', stoppedAt: iso(NOW + 9000), duration_seconds: 9 },
    ])
  })

  it('does not pair by description or across host sessions', () => {
    const agents = pairSubagents([
      row(0, 'subagent_start', { subagent_id: 's1', description: 'same' }),
      row(1, 'subagent_stop', { description: 'same' }),
      row(2, 'subagent_stop', { subagent_id: 's1', session_id: 'v' }),
    ])
    expect(agents.map(({ session_id, status }) => [session_id, status])).toEqual([
      ['v', 'stopped'],
      ['u', 'running'],
    ])
  })

  it('handles a stop without a start, a reported duration, and an agent that continues', () => {
    expect(
      pairSubagents([row(60, 'subagent_stop', { subagent_id: 's1', duration_seconds: 60 })]),
    ).toMatchObject([{ startedAt: iso(NOW), duration_seconds: 60 }])
    const again = pairSubagents([
      row(0, 'subagent_start', { subagent_id: 's1' }),
      row(5, 'subagent_stop', { subagent_id: 's1', duration_seconds: null }),
      row(9, 'subagent_start', { subagent_id: 's1' }),
    ])
    expect(again).toMatchObject([{ status: 'running', startedAt: iso(NOW + 9000) }])
    expect(again[0]).not.toHaveProperty('stoppedAt')
  })

  it('does not depend on the order of rows, and returns valid agents for any rows', () => {
    const events = [
      row(0, 'subagent_start', { tool_use_id: 't1' }),
      row(1, 'subagent_spawned_async', { tool_use_id: 't1', subagent_id: 's1' }),
      row(2, 'subagent_stop', { subagent_id: 's1' }),
      row(2, 'subagent_start', { tool_use_id: 't2' }),
    ]
    const expected = pairSubagents(events)
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: 4 }), (shuffled) => {
        expect(pairSubagents(shuffled)).toEqual(expected)
      }),
    )
    const anyRow = fc.record({
      timestamp: fc.constantFrom('', iso(NOW), 'x', iso(NOW + 5000)),
      session_id: fc.constantFrom('', 'u'),
      source: fc.constant('subagent' as const),
      type: fc.constantFrom('subagent_start', 'subagent_stop', 'subagent_spawned_async', 'other'),
      subagent_id: fc.oneof(fc.constantFrom('s1', ''), fc.jsonValue()),
      duration_seconds: fc.oneof(fc.double(), fc.jsonValue()),
    })
    fc.assert(
      fc.property(fc.array(anyRow), (rows) => {
        for (const agent of pairSubagents(rows)) expect(subagentRun.parse(agent)).toEqual(agent)
      }),
    )
  })
})
