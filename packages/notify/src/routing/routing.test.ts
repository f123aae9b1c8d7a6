import { DEFAULT_ROUTING, NOTIFICATION_KINDS, settings } from '@steward/contract'
import { expect, test } from 'vitest'
import { kindOfCompletion } from './kind-of-completion.ts'
import { routeNotice } from './route-notice.ts'

const TOPIC = 'steward-0123456789'

test("the spec's channels unless the settings say otherwise", () => {
  for (const kind of NOTIFICATION_KINDS) {
    expect(routeNotice(kind, settings.parse({}))).toEqual(DEFAULT_ROUTING[kind])
  }
  const notifications = { routing: { taskComplete: ['desktop', 'email', 'desktop'], error: [] } }
  const own = settings.parse({ notifications })
  expect(routeNotice('taskComplete', own)).toEqual(['desktop', 'email'])
  expect(routeNotice('error', own)).toEqual([])
  expect(routeNotice('security', own)).toEqual(['push', 'chat'])
})

test('without a kind: push when there is one, by its older name too, else the desktop', () => {
  const of = (notifications: object) => routeNotice(null, settings.parse({ notifications }))
  expect(of({})).toEqual(['desktop'])
  expect(of({ push: { enabled: true, topic: TOPIC } })).toEqual(['push'])
  expect(of({ ntfy: { enabled: true, topic: TOPIC } })).toEqual(['push'])
  expect(of({ push: { enabled: false }, ntfy: { enabled: true, topic: TOPIC } })).toEqual([
    'desktop',
  ])
})

test('a task is long above the threshold, and when its time is known', () => {
  const usual = settings.parse({})
  expect(kindOfCompletion(undefined, usual)).toBe('taskComplete')
  expect(kindOfCompletion(5 * 60_000, usual)).toBe('taskComplete')
  expect(kindOfCompletion(5 * 60_000 + 1, usual)).toBe('longTask')
  const own = settings.parse({ notifications: { thresholds: { longTaskMinutes: 0.5 } } })
  expect(kindOfCompletion(30_001, own)).toBe('longTask')
})
