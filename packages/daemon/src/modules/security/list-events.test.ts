import type { SecurityEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { listEvents } from './list-events.ts'

const eventOf = (n: number): SecurityEvent => ({
  ...{ id: String(n), timestamp: '2026-03-07T15:00:00.000Z', session_id: n % 7 === 0 ? 'a' : 'b' },
  ...{
    host: 'claude',
    tool: 'Bash',
    verdict: 'deny',
    event_type: 'block',
    rule: 'r',
    reason: '',
    target: '',
  },
  shadow: false,
})
const LOG = Array.from({ length: 1200 }, (_, n) => eventOf(1200 - n))
const read = async ({ limit, before }: { limit: number; before?: string }) => {
  const rest = LOG.filter(({ id }) => before === undefined || Number(id) < Number(before))
  return { events: rest.slice(0, limit), more: rest.length > limit }
}

it('pages through the whole log', async () => {
  const first = await listEvents({ limit: 50 }, read)
  expect(first).toMatchObject({ next: '1151' })
  expect((await listEvents({ limit: 50, before: '30' }, read)).next).toBe(null)
})

it('finds the events of a session beyond the first page', async () => {
  const { events, next } = await listEvents({ limit: 500, session: 'a' }, read)
  expect(events).toHaveLength(171)
  expect(next).toBe(null)
  expect((await listEvents({ limit: 3, session: 'a' }, read)).events.map(({ id }) => id)).toEqual([
    '1197',
    '1190',
    '1183',
  ])
})
