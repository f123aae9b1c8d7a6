import { feedList } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseOpml, renderOpml } from './opml.ts'

it('parses nested outlines with titles, sites and folders', () => {
  const { feeds, skipped } = parseOpml(`<?xml version="1.0"?>
    <opml version="2.0"><head><title>Mine</title></head><body>
      <!-- <outline xmlUrl="https://commented.test/"/> -->
      <outline text="Tech &amp; more">
        <outline text="Deep"><OUTLINE TYPE="rss" Text="A" xmlURL="https://a.test/feed?x=1&y=2" htmlUrl='https://a.test/'/></outline>
        <outline text="B's" title="B title" xmlUrl="https://b.test/feed" category="x, y"></outline>
      </outline>
      <outline text="C" xmlUrl="https://c.test/a>b">
      <outline text="again" xmlUrl="https://b.test/feed"/>
      <outline text="ftp" xmlUrl="ftp://d.test/"/>
      <outline text="me" xmlUrl="https://me:pw@e.test/"/>`)
  expect(feeds).toEqual([
    {
      url: 'https://a.test/feed?x=1&y=2',
      title: 'A',
      site: 'https://a.test/',
      categories: ['Tech & more', 'Deep'],
    },
    { url: 'https://b.test/feed', title: 'B title', categories: ['Tech & more', 'x', 'y'] },
    { url: 'https://c.test/a>b', title: 'C' },
  ])
  expect(skipped.map(({ url }) => url)).toEqual(['ftp://d.test/', 'https://me:pw@e.test/'])
})

it('never throws, whatever the input', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.constantFrom(
            '<outline ',
            '</outline>',
            'xmlUrl="https://a.test/',
            '">',
            "'",
            '<!--',
            '-->',
            '<![CDATA[',
            '/>',
            '=',
            '&amp;',
            '<',
            '>',
          ),
          fc.string(),
        ),
      ),
      (parts) => {
        expect(feedList.safeParse(parseOpml(parts.join('')).feeds).success).toBe(true)
      },
    ),
  )
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void parseOpml(bytes)))
})

it('reads back what it writes', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) =>
      text
        .replace(/[\p{Cc}\p{Cs},/]/gu, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '')
  const feed = fc.record(
    {
      url: fc.webUrl({ withQueryParameters: true }),
      title: word,
      site: fc.webUrl(),
      categories: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['url', 'title'] },
  )
  fc.assert(
    fc.property(fc.uniqueArray(feed, { selector: ({ url }) => url }), (feeds) => {
      const read = parseOpml(renderOpml(feeds, 'Mine & yours')).feeds
      const byUrl = (a: { url: string }, b: { url: string }) => (a.url < b.url ? -1 : 1)
      expect(read.toSorted(byUrl)).toEqual(feeds.toSorted(byUrl))
    }),
  )
})

it.each([
  [
    'one feed in many categories',
    (n: number) => `<outline xmlUrl="https://a.test/" category="c${n}"/>`,
  ],
  ['feeds in feeds', (n: number) => `<outline xmlUrl="https://a.test/${n}" text="t">`],
  ['folders in folders', (n: number) => `<outline text="${n}">`],
  ['addresses that are none', () => '<outline xmlUrl="x"/>'],
  ['tags that never end', () => '<outline xmlUrl="'],
  ['comments that never end', () => '<outline <!-- '],
  ['end tags', () => '</outline>'],
])('a hostile file is read in linear time: %s', (_, outline) => {
  const { feeds, skipped } = parseOpml(
    Array.from({ length: 20_000 }, (__, n) => outline(n)).join(''),
  )
  expect(feeds.length + skipped.length).toBeLessThanOrEqual(20_000)
})

it('reads or skips each outline, in 500 generated variations', () => {
  const piece = fc.constantFrom(
    ...[
      '<outline ',
      '<outline>',
      '</outline>',
      'xmlUrl="https://a.test/',
      'xmlUrl="x"',
      'text="a"',
    ],
    ...[
      'category="a,b/c"',
      '">',
      '"/>',
      '>',
      '<',
      '"',
      '&',
      '&#x',
      '<!--',
      '-->',
      '<![CDATA[',
      '<?',
    ],
  )
  const file = fc
    .array(fc.tuple(piece, fc.integer({ min: 1, max: 300 })), { maxLength: 10 })
    .map((pieces) => pieces.map(([each, count]) => each.repeat(count)).join(''))
  fc.assert(
    fc.property(file, (text) => {
      for (const { url, categories = [] } of parseOpml(text).feeds) {
        expect(url).toMatch(/^https:/)
        expect(new Set(categories).size).toBe(categories.length)
      }
    }),
    { numRuns: 500, seed: 17 },
  )
})
