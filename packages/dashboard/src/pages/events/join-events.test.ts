import type { StewardEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { joinEvent, keyOf } from './join-events.ts'

const event = (at: string, more: Partial<StewardEvent>): StewardEvent => ({
  timestamp: `2026-11-15T10:00:${at}Z`,
  session_id: 's',
  source: 'tool-activity',
  type: 'tool_use',
  ...more,
})
const joinAll = (events: StewardEvent[]) =>
  events.reduce<ReturnType<typeof joinEvent> | undefined>(
    (row, each) => joinEvent(row, 'k', each),
    undefined,
  )

it('identifies the events of one call by its id, and others individually', () => {
  expect(keyOf(event('00', { tool_use_id: 'a' }))).toBe(keyOf(event('05', { tool_use_id: 'a' })))
  expect(keyOf(event('00', {}))).not.toBe(keyOf(event('01', {})))
  // A subagent's rows also carry the id of the launching call.
  expect(keyOf(event('00', { source: 'subagent', subagent_id: 'x', tool_use_id: 'a' }))).toBe(
    'agent x',
  )
})

it.each([[[0, 1]], [[1, 0]]])('joins start and stop in whatever order they come (%j)', (order) => {
  const both = [event('00', { type: 'subagent_start' }), event('08', { type: 'subagent_stop' })]
  const row = joinAll(order.flatMap((index) => both[index] ?? []))
  expect(row).toMatchObject({ event: { type: 'subagent_stop' }, durationMs: 8000, failed: false })
})

it('uses the duration that the host measured, and detects a failure', () => {
  const row = joinAll([event('00', { duration_ms: 120 }), event('09', { source: 'tool-failure' })])
  expect(row).toMatchObject({ durationMs: 120, failed: true })
})

it('a single event has no duration', () => {
  expect(joinAll([event('00', {})])?.durationMs).toBeUndefined()
})

it('counts an event once that arrives by the list and by the stream', () => {
  const twice = [event('00', { type: 'voice_start' }), event('00', { type: 'voice_start' })]
  expect(joinAll(twice)?.events).toHaveLength(1)
})
