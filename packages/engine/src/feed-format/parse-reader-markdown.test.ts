import { feedItem } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseReaderMarkdown } from './parse-reader-markdown.ts'

const read = (markdown: string) => parseReaderMarkdown(markdown, 'https://site.test/feed.xml')
const brief = (markdown: string) =>
  read(markdown).items.map(({ title, link, published }) => [title, link, published])

describe('markdown of a reader', () => {
  it('with linked headings', () => {
    const markdown = `Title: The Site
URL Source: https://site.test/feed.xml
Markdown Content:
# [The Site](https://site.test/)
[Home](https://site.test/) [About](https://site.test/about)
## [First **post**](https://site.test/1)
Sun, 01 Mar 2026 10:00:00 GMT
Some text with [a link](https://elsewhere.test/x) and more.
## [Second \\[2\\]](https://site.test/2_(b) "tip")
By someone on March 2nd, 2026
## [Second again](https://site.test/2_(b))
`
    const { title, items } = read(markdown)
    expect(title).toBe('The Site')
    expect(brief(markdown)).toEqual([
      ['First post', 'https://site.test/1', '2026-03-01T10:00:00.000Z'],
      ['Second [2]', 'https://site.test/2_(b)', '2026-03-02T00:00:00.000Z'],
    ])
    expect(items[0]).toMatchObject({
      id: 'https://site.test/1',
      content: expect.stringContaining('Some text with [a link](https://elsewhere.test/x)'),
    })
  })

  it('with plain headings and links below', () => {
    expect(
      brief(`# Site
intro https://site.test/other
### One
2026-01-05T10:00:00Z
https://site.test/one
### Two
[Read more](https://site.test/two)
### No link here
text`),
    ).toEqual([
      ['One', 'https://site.test/one', '2026-01-05T10:00:00.000Z'],
      ['Two', 'https://site.test/two', null],
    ])
  })

  it('with lists, and lines that start with a link', () => {
    expect(
      brief(`- [One](https://site.test/1) - 5 Jan 2026
* **[Two](https://site.test/2)**
1. ![pic](https://site.test/p.png)
[Three](https://site.test/3)
see [not one](https://site.test/4)
- [Home](https://site.test)
- [Feed](https://site.test/feed.xml)`),
    ).toEqual([
      ['One', 'https://site.test/1', '2026-01-05T00:00:00.000Z'],
      ['Two', 'https://site.test/2', null],
      ['Three', 'https://site.test/3', null],
    ])
  })

  it('that is something else has no items', () => {
    expect(read('').items).toEqual([])
    expect(read('Just a paragraph.\n\nAnd another.').items).toEqual([])
  })

  it('never throws, and items are complete and distinct', () => {
    const parts = fc.constantFrom(
      '## ',
      '- ',
      '[',
      ']',
      '(https://a.test/x',
      ')',
      '![',
      '\n',
      '"',
      '**',
      '\\',
      '2026-01-01',
      '| ',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string())), (pieces) => {
        const { items } = read(pieces.join(''))
        for (const item of items) feedItem.parse(item)
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      }),
      { numRuns: 500 },
    )
  })

  it('that is hostile takes linear time', () => {
    const nested = '['.repeat(50_000)
    const open = `## ${'[a]('.repeat(20_000)}`
    const stars = `## [${'**'.repeat(20_000)}](https://a.test/x)`
    for (const markdown of [nested, open, stars]) expect(read(markdown).items).toEqual([])
  })
})
