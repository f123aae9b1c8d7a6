import { expect, it } from 'vitest'
import { linksOf } from './links-of.ts'

const hrefs = (given: Partial<Parameters<typeof linksOf>[0]>) =>
  linksOf({
    kind: 'run',
    name: 'A_TIDES',
    within: ['P_TIDES'],
    runId: 'run-1',
    sessionId: null,
    ...given,
  }).map(({ href }) => href)

it('leads from a group to its last occurrence and to all of them', () => {
  expect(hrefs({})).toEqual(['/flows/runs/run-1', '/flows?tab=runs&status=failed&name=P_TIDES'])
  expect(hrefs({ kind: 'delivery', within: ['F_TIDES'] })).toEqual([
    '/flows/runs/run-1',
    '/flows/F_TIDES',
  ])
  expect(hrefs({ kind: 'tool', name: 'Bash', runId: null, sessionId: 'a b' })).toEqual([
    '/sessions/a%20b',
    '/events?q=source%3Atool-failure%20Bash',
  ])
  expect(hrefs({ kind: 'notification' })).toEqual(['/speech'])
})
