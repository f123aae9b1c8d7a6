import { expect, it } from 'vitest'
import { shortHash } from './short-hash.ts'

it('distinguishes 200,000 similar texts', () => {
  const seen = new Set<string>()
  for (let index = 0; index < 100_000; index++) {
    seen.add(shortHash(`id https://example.test/post?p=${index}`))
    seen.add(shortHash(`link ${index.toString(2)}`))
  }
  expect(seen.size).toBe(200_000)
})

it('stays the same for ever, because records contain it', () => {
  expect([shortHash(''), shortHash('id a'), shortHash('ü😀')]).toMatchInlineSnapshot(`
    [
      "1biic5n167aufg",
      "1h3idzd076s1ak",
      "1aec58j1merure",
    ]
  `)
})
