import { unwrap } from '@steward/contract'
import { expect, test } from 'vitest'
import { parseFeedBody } from './read-feed-body.ts'

const hints = { url: 'https://example.org/feed' }
const feedOf = (items: number): string =>
  `<rss><channel>${Array.from({ length: items }, (_, n) => `<item><guid>${n}</guid></item>`).join('')}`
const markdownOf = (items: number): string =>
  Array.from({ length: items }, (_, n) => `- [entry ${n}](https://example.org/${n})`).join('\n')

test.each([
  ['feed' as const, feedOf],
  ['reader-markdown' as const, markdownOf],
])('a %s has as many items as later steps can handle, and no more', (form, bodyOf) => {
  const most = parseFeedBody({ body: bodyOf(100), form, hints }, 100)
  expect(unwrap(most).items).toHaveLength(100)
  const more = new TextEncoder().encode(bodyOf(101))
  expect(parseFeedBody({ body: more, form, hints }, 100)).toMatchObject({
    ok: false,
    error: {
      code: 'feed_unreadable',
      message: 'https://example.org/feed is not a readable feed: it has more than 100 items',
    },
  })
})
