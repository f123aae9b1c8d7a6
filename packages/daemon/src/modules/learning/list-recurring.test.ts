import type { FailureGroup } from '@steward/contract'
import type { RecentPattern } from '@steward/platform'
import { expect, it } from 'vitest'
import { listRecurring } from './list-recurring.ts'

const NOW = Date.UTC(2026, 2, 7, 12)
const DAY = 86_400_000
const group = (changes: Partial<FailureGroup>): FailureGroup => ({
  kind: 'run',
  name: 'A_TIDES',
  within: ['P_REPORT'],
  code: 'action_failed',
  cause: 'no level',
  timesMs: [NOW, NOW - DAY],
  runId: 'run-1',
  ...changes,
})
const list = (groups: readonly FailureGroup[], tools: readonly RecentPattern[] = [], days = 3) =>
  listRecurring(days, {
    now: () => NOW,
    failuresSince: async () => groups,
    patternsSince: () => tools,
    mask: (text) => text.replaceAll('secret', '***'),
  })

it('counts by day and says what to do, the most frequent first', async () => {
  const tool: RecentPattern = {
    tool: 'Bash',
    pattern: 'exit <n>',
    count: 3,
    sessions: 1,
    firstAt: '2026-03-06T10:00:00Z',
    lastAt: '2026-03-07T10:00:00Z',
    example: 'exit 1',
    days: new Map([
      ['2026-03-06', 1],
      ['2026-03-07', 2],
    ]),
    lastSession: 's-1',
  }
  const { from, failures } = await list([group({})], [tool])
  expect(from).toBe('2026-03-05')
  expect(failures).toMatchObject([
    { kind: 'tool', name: 'Bash', cause: 'exit <n>', count: 3, days: [0, 1, 2], sessionId: 's-1' },
    {
      name: 'A_TIDES',
      count: 2,
      days: [0, 1, 1],
      firstAt: '2026-03-06T12:00:00.000Z',
      lastAt: '2026-03-07T12:00:00.000Z',
      runId: 'run-1',
      remedy: expect.stringContaining('rerun from that step'),
    },
  ])
})

it('leaves out what happened once, and masks secrets', async () => {
  const once = group({ name: 'A_ONCE', timesMs: [NOW] })
  const { failures } = await list([once, group({ cause: 'the secret is wrong' })])
  expect(failures).toMatchObject([{ name: 'A_TIDES', cause: 'the *** is wrong' }])
})

it('joins texts that differ in numbers only, with the words of the last', async () => {
  const notice = {
    kind: 'notification',
    name: 'push',
    within: [],
    code: null,
    runId: null,
  } as const
  const { failures } = await list([
    group({ ...notice, cause: 'given up after 3 attempts', timesMs: [NOW - DAY] }),
    group({ ...notice, cause: 'given up after 5 attempts', timesMs: [NOW] }),
    group({ ...notice, name: 'email', cause: 'given up after 5 attempts', timesMs: [NOW] }),
  ])
  expect(failures).toMatchObject([
    { name: 'push', count: 2, cause: 'given up after 5 attempts', days: [0, 1, 1] },
  ])
})

it('has the remedy of the error table, and none for an unknown code', async () => {
  const { failures } = await list([group({ code: 'timeout' }), group({ code: 'of_a_plugin' })])
  expect(failures.map(({ remedy }) => remedy === null)).toEqual([false, true])
})
