import { parsedFeed } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseFeed } from './index.ts'

const countItems = (body: string | Uint8Array): number => {
  const result = parseFeed(body)
  return result.ok ? result.value.items.length : -1
}

test('100,000 items', () => {
  const items = Array.from({ length: 100_000 }, (_, n) => `<item><guid>${n}</guid></item>`)
  expect(countItems(`<rss><channel>${items.join('')}</channel></rss>`)).toBe(100_000)
})

const MANY = 300_000
const names = (make: (n: number) => string) =>
  Array.from({ length: MANY / 10 }, (_, n) => make(n)).join('')

/** Each would take minutes or overflow the stack if it were searched once per opening tag. */
test.each([
  ['nesting', '<a>'.repeat(MANY)],
  ['nesting that ends', `${'<a>'.repeat(MANY)}${'</a>'.repeat(MANY)}`],
  [
    'nesting in content',
    `<item><guid>1</guid><content>${'<div>'.repeat(MANY)}${'</div>'.repeat(MANY)}</content></item>`,
  ],
  ['end tags without elements', `${'<x>'.repeat(1000)}${'</y>'.repeat(MANY)}`],
  ['unended titles', '<title>'.repeat(MANY)],
  ['unclosed titles in one item', `<item>${'<title>'.repeat(MANY)}</item>`],
  ['two kinds of unended', `<item>${'<title><summary>'.repeat(MANY)}</item>`],
  ['unended tags', '<a '.repeat(MANY)],
  ['unended quotes', `<a b="${"<a b='".repeat(MANY)}`],
  ['unended comments', '<!-- '.repeat(MANY)],
  ['unended CDATA', '<item><![CDATA['.repeat(MANY)],
  ['unended CDATA in titles', '<title><![CDATA[</title>'.repeat(MANY)],
  ['unended instructions', '<?x '.repeat(MANY)],
  ['unended doctypes', '<!DOCTYPE '.repeat(MANY)],
  ['doctypes', '<!DOCTYPE a>'.repeat(MANY)],
  ['comments in a title', `<item><title>${'<!--'.repeat(MANY)}</title></item>`],
  ['one attribute name', `<item ${'a'.repeat(MANY)}><guid ${'a'.repeat(MANY)}>1</guid></item>`],
  ['author dashes', `<item><guid>1</guid><author>a@b ${'-'.repeat(MANY)}x</author></item>`],
  ['titles of many names', names((n) => `<p${n}:title xmlns:p${n}="http://purl.org/rss/1.0/">`)],
  ['declarations', `<rss ${names((n) => `xmlns:p${n}="x" `)}>${'<x xmlns:a="b"/>'.repeat(MANY)}`],
  ['ampersands', `<item><title>${'&'.repeat(MANY)}&#`],
  ['spaces', `<item><title>${' '.repeat(MANY)}x</title><link>${' \n'.repeat(MANY)}x</link></item>`],
  [
    'author brackets',
    `<item><guid>1</guid><author>a@${'a.'.repeat(MANY)} ${'('.repeat(MANY)}</author></item>`,
  ],
  ['attribute soup', `<item a="${'b='.repeat(MANY)}" ${'c '.repeat(MANY)}><guid>1</guid></item>`],
  ['namespaces', `<rss>${'<x xmlns:a="b">'.repeat(MANY)}`],
  ['JSON nesting', `{"items":${'['.repeat(MANY)}`],
  ['JSON objects', `{"items":[${'{"a":'.repeat(MANY)}`],
  ['links', `<html>${'<link rel=alternate '.repeat(MANY)}`],
  [
    'references in content',
    `<item><description><![CDATA[<a ${' href="'.repeat(MANY)}${"<a href='".repeat(MANY)}]]></description></item>`,
  ],
  ['escaped tags in a title', `<item><title>${'&amp;lt;b&amp;gt;'.repeat(MANY)}</title></item>`],
  ['equals', `<item><guid>1</guid><link ${'= "'.repeat(MANY)}/></item>`],
])('%s without end', (_, body) => {
  expect(countItems(body)).toBeLessThanOrEqual(1)
})

const SAMPLE = `<?xml version="1.0" encoding="utf-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T &amp; U</title>
<item><title><![CDATA[One <b>x</b>]]></title><link>https://example.org/1</link><guid>g</guid><pubDate>Tue, 03 Feb 2026 10:11:12 GMT</pubDate><description>&lt;p>é&lt;/p></description></item>
<item><title>Two</title><guid>g</guid><dc:date>2026-02-03</dc:date><enclosure url="a.mp3" length="1"/></item>
<entry xml:base="https://example.org/"><id>3</id><content type="xhtml"><div><p>x</p></div></content></entry></channel></rss>`

const check = (body: string | Uint8Array) => {
  const result = parseFeed(body, { url: 'https://example.org/feed' })
  if (!result.ok) {
    expect(result.error.code).toBe('feed_unreadable')
    return
  }
  const { items } = parsedFeed.parse(result.value)
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
  for (const { id, published, updated } of items) {
    expect(id).not.toBe('')
    for (const date of [published, updated]) {
      if (date !== null) expect(new Date(date).toISOString()).toBe(date)
    }
  }
  expect(parseFeed(body, { url: 'https://example.org/feed' })).toEqual(result)
}

test('any text and any bytes are parsed or rejected', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), check))
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), check))
})

test('any markup is parsed or rejected', () => {
  const piece = fc.constantFrom(
    '<item>',
    '</item>',
    '<entry>',
    '<title>',
    '</title>',
    '<link>',
    '<guid',
    ' a="',
    '">',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '&lt;',
    '&#x',
    '<content type="xhtml">',
    '</content>',
    '<?',
    '<!DOCTYPE [',
    'x',
    '<',
    '>',
    '"',
    '/>',
    '<description>',
    '<rss><channel>',
    '</channel>',
    ' xmlns="http://www.w3.org/1999/xhtml"',
    '<author>',
    '<name>n</name>',
    '2004',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => check(pieces.join(''))),
    { numRuns: 3000 },
  )
})

test('any JSON is parsed or rejected', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) =>
      check(
        JSON.stringify({
          items: [
            value,
            { id: value, title: value, tags: [value], authors: value, attachments: [value] },
          ],
        }),
      ),
    ),
  )
})

test('a document truncated anywhere keeps every complete item', () => {
  const ends = [...SAMPLE.matchAll(/<\/(?:item|entry)>/g)].map(
    (match) => match.index + match[0].length,
  )
  for (let cut = 0; cut <= SAMPLE.length; cut++) {
    const body = SAMPLE.slice(0, cut)
    check(body)
    const complete = ends.filter((end) => end <= cut).length
    if (complete > 0) expect(countItems(body)).toBe(complete)
  }
})

test('a document with any bytes changed is parsed or rejected', () => {
  const bytes = new TextEncoder().encode(SAMPLE)
  const change = fc.tuple(fc.nat(bytes.length - 1), fc.nat(255))
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
      const broken = Uint8Array.from(bytes)
      for (const [at, byte] of changes) broken[at] = byte
      check(broken)
    }),
    { numRuns: 500 },
  )
})
