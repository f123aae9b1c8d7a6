import { API } from '@steward/contract'
import { expect, it } from 'vitest'
import { openSessions } from './testing/open-sessions.ts'

it('the menu bar counts scheduled jobs and those that failed last', async () => {
  const { answer } = await openSessions()
  expect(await answer(API.getMenubar)).toMatchObject({
    daemon: { status: 'running', jobCount: 3, failingJobs: 1 },
    counts: { work: 0 },
    feed: [],
  })
})
