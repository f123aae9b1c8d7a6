import type { FeedRecord } from '@steward/contract'
import { expect, it } from 'vitest'
import { checkFeeds } from './check-feeds.ts'

const recordOf = (url: string, error_count: number): FeedRecord => ({
  url,
  title: null,
  permanent_url: null,
  etag: null,
  last_modified: null,
  error_count,
  last_error: error_count > 0 ? 'gone' : null,
  last_class: error_count > 0 ? '404' : null,
  last_tier: null,
  last_checked_at: '2026-01-01T00:00:00.000Z',
  last_success_at: null,
  next_check_at: null,
  item_ids: [],
})
const check = (records: FeedRecord[]) =>
  checkFeeds(
    {
      feeds: {
        file: { read: async () => records.map(({ url }) => ({ url })) },
        database: () => ({ records: () => records }),
      },
    },
    'steward',
  )

it('names failing feeds and says how to retry a skipped feed', async () => {
  expect(await check([])).toMatchObject({ status: 'ok' })
  expect(await check([recordOf('https://a.example/', 0)])).toMatchObject({ status: 'ok' })
  const ill = await check([recordOf('https://a.example/', 0), recordOf('https://b.example/', 2)])
  expect(ill).toMatchObject({
    status: 'warn',
    message: '1 of 2 fail: https://b.example/ (404 x2)',
  })
  expect(ill.repair).not.toContain('retry')
  expect((await check([recordOf('https://b.example/', 1000)])).repair).toContain('retry')
})
