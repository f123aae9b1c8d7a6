import type { SecurityEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { listEvents } from './list-events.ts'

const eventOf = (n: number): SecurityEvent => ({
  ...{ id: String(n), timestamp: '2026-03-07T15:00:00.000Z', session_id: n % 7 === 0 ? 'a' : 'b' },
  ...{
    host: 'claude',
    tool: 'Bash',
    verdict: n % 3 === 0 ? 'deny' : 'alert',
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

it('pages through all events of a verdict, and repeats none', async () => {
  const found: string[] = []
  let before: string | undefined
  do {
    const page = await listEvents(
      { limit: 150, verdict: 'deny', ...(before === undefined ? {} : { before }) },
      read,
    )
    found.push(...page.events.map(({ id }) => id))
    before = page.next ?? undefined
  } while (before !== undefined)
  expect(found).toEqual(Array.from({ length: 400 }, (_, n) => String(1200 - 3 * n)))
})

it('combines the filters', async () => {
  const { events } = await listEvents({ limit: 2, verdict: 'deny', session: 'a' }, read)
  expect(events.map(({ id }) => id)).toEqual(['1197', '1176'])
})
