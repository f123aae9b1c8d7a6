import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatJson } from './format-json.ts'

it('puts what fits on one line', () => {
  const source = { type: 'rss', url: 'https://example.com/feed.xml' }
  expect(formatJson({ flows: [{ id: 'a', sources: [source, source], tags: [] }] })).toBe(
    `{
  "flows": [
    {
      "id": "a",
      "sources": [
        { "type": "rss", "url": "https://example.com/feed.xml" },
        { "type": "rss", "url": "https://example.com/feed.xml" }
      ],
      "tags": []
    }
  ]
}
`,
  )
})

it('loses nothing', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(formatJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
