import { expect, test } from 'vitest'
import { parseFeed } from './index.ts'

test('50 MB in one item', () => {
  const bytes = new TextEncoder().encode(
    `<rss><item><title>1</title><description><![CDATA[${'é <p> '.repeat(7_200_000)}`,
  )
  expect(bytes.length).toBeGreaterThan(50_000_000)
  const result = parseFeed(bytes)
  expect(result.ok && result.value.items.length).toBe(1)
})
