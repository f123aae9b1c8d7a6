import type { ParsedFeed } from '@steward/contract'
import { describe, expect, test } from 'vitest'
import { parseFeed } from './index.ts'

const read = (body: string | Uint8Array): ParsedFeed => {
  const result = parseFeed(body)
  if (!result.ok) throw result.error
  return result.value
}
const titles = (body: string) => read(body).items.map(({ title }) => title)
const reasonFor = (body: string | Uint8Array, url?: string): string => {
  const result = parseFeed(body, url === undefined ? {} : { url })
  if (result.ok) throw new Error('expected no feed')
  expect(result.error.code).toBe('feed_unreadable')
  return result.error.message
}

describe('common faults of real feeds', () => {
  test.each([
    [
      'garbage before the prolog',
      'Warning: x<br>\n<?xml version="1.0"?><rss><channel><item><title>1</title></item></channel></rss>',
    ],
    [
      'comments before the prolog',
      '<!-- <item> --><?xml version="1.0"?><rss><channel><item><title>1</title></item></channel></rss>',
    ],
    [
      'whitespace and a mark',
      '\n \ufeff<?xml version="1.0"?><rss><channel><item><title>1</title></item></channel></rss>',
    ],
    ['no root', '<item><title>1</title></item>'],
    ['a channel alone', '<channel><title>x</title><item><title>1</title></item></channel>'],
    ['no channel', '<rss><item><title>1</title></item></rss>'],
    ['upper case', '<RSS><CHANNEL><ITEM><TITLE>1</TITLE></ITEM></CHANNEL></RSS>'],
    ['mixed case', '<Rss><Channel><Item><Title>1</title></ITEM></Channel></rss>'],
    [
      'control characters',
      '<rss><channel><item><title>\u0000\u00011\u001f</title></item></channel></rss>',
    ],
    ['no ends at all', '<rss><channel><item><title>1'],
    ['a title without an end', '<rss><channel><item><title>1<link>x</link></item></channel></rss>'],
    ['stray end tags', '<rss><channel></b></p><item></i><title>1</title></item></channel></rss>'],
    ['broken CDATA', '<rss><channel><item><title><![CDATA[1]]</title></item></channel></rss>'],
    [
      'an attribute without its quote',
      '<rss><channel><item><guid isPermaLink="false>g</guid><title>1</title></item></channel></rss>',
    ],
    ['a tag without its end', '<rss><channel><item><guid <title>1</title></item></channel></rss>'],
    ['an unended comment', '<rss><channel><item><!-- x <title>1</title></item></channel></rss>'],
    [
      'a foreign end',
      '<rss><channel><item><title>1</title></item></channel></rss><script>x</script>',
    ],
  ])('%s', (_, body) => {
    expect(titles(body)).toEqual(['1'])
  })

  test('unclosed elements do not swallow their neighbours', () => {
    const [item] = read(
      '<rss><channel><item><title>A<link>http://a.example/<guid>g1<description>foo <b>bar</b><pubDate>1 Jan 2026</item></rss>',
    ).items
    expect(item).toMatchObject({
      id: 'g1',
      title: 'A',
      link: 'http://a.example/',
      summary: 'foo <b>bar</b>',
      published: '2026-01-01T00:00:00.000Z',
    })
  })

  test('an item without its end tag', () => {
    expect(
      titles('<rss><channel><item><title>1</title><item><title>2</title></item></channel>'),
    ).toEqual(['1', '2'])
  })

  test('unclosed CDATA loses one element', () => {
    const body =
      '<rss><channel><item><title><![CDATA[1</title><description><![CDATA[d]]></description></item><item><title>2</title></item></channel></rss>'
    expect(read(body).items).toMatchObject([{ title: '1', summary: 'd' }, { title: '2' }])
  })

  test('CDATA that mentions CDATA is complete', () => {
    const [item] = read(
      '<rss><item><description><![CDATA[write <![CDATA[ here]]></description></item></rss>',
    ).items
    expect(item?.summary).toBe('write <![CDATA[ here')
  })

  test('a truncated document keeps its complete items', () => {
    const whole =
      '<rss><channel><item><title>1</title></item><item><title>2</title></item><item><title>3'
    expect(titles(whole)).toEqual(['1', '2'])
  })

  test('a truncated JSON Feed keeps its complete items, with or without raw line breaks', () => {
    const body =
      '{"title":"x","tags":["y"],"items":[{"id":"1","content_text":"a\nb [{"},{"id":"2"},{"id":"3","ti'
    expect(read(body).items.map(({ id }) => id)).toEqual(['1', '2'])
    expect(read('{"items":[{"id":"1"}]} trailing').items).toHaveLength(1)
  })

  test('empty items are dropped', () => {
    expect(titles('<rss><channel><item/><item> text </item><item></item></channel></rss>')).toEqual(
      [],
    )
  })

  test.each([
    ['<author>Jane</author>', { author: 'Jane' }],
    ['<category>A</category>', { categories: ['A'] }],
    ['<pubDate>1 Jan 2026</pubDate>', { published: '2026-01-01T00:00:00.000Z' }],
    ['<comments>https://example.org/c</comments>', { link: null }],
    ['<link rel="alternate"/>', { link: null }],
    ['<x:unheard of="it"/>', { title: null }],
  ])('an item with only %s is kept', (inner, expected) => {
    const { items } = read(`<rss><channel><item>${inner}</item></channel></rss>`)
    expect(items).toMatchObject([{ id: expect.stringMatching(/^sha256:/), ...expected }])
  })

  test('letters that were decoded as Latin 1', () => {
    expect(titles('<rss><item><title>it\u0092s</title></item></rss>')).toEqual(['it’s'])
  })
})

describe('entities of a DTD', () => {
  test('are neither expanded nor fetched', () => {
    const lines = Array.from(
      { length: 9 },
      (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
    )
    const body = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY l0 "ha"><!ENTITY file SYSTEM "file:///etc/passwd">${lines.join('')}]>
      <rss><channel><title>&l9; &file;</title><item><title>1</title></item></channel></rss>`
    expect(read(body)).toMatchObject({ title: '&l9; &file;', items: [{ title: '1' }] })
  })
})

describe('not a feed', () => {
  test.each([
    ['', 'empty'],
    [' \n\t', 'empty'],
    ['<html><body>hi</body></html>', 'web page'],
    ['<!DOCTYPE html><title>x</title>', 'web page'],
    ['{"a":1}', 'JSON'],
    ['[1]', 'JSON'],
    ['{broken', 'JSON'],
    ['hello', 'no markup'],
    ['<opml><body/></opml>', '<opml>'],
    ['<urlset><url/></urlset>', '<urlset>'],
  ])('%j', (body, reason) => {
    expect(reasonFor(body)).toContain(reason)
  })

  test('a page that links to its feed', () => {
    const page =
      '<!doctype html><html><head><link rel="stylesheet" href="/a.css"><link type=application/atom+xml rel="alternate" href="/feed.xml"></head><body><item></item></body></html>'
    expect(reasonFor(page, 'https://example.org/blog/')).toContain('https://example.org/feed.xml')
  })

  test('bytes', () => {
    expect(reasonFor(new Uint8Array())).toContain('empty')
    expect(reasonFor(Uint8Array.of(0x1f, 0x8b, 8, 0, 0))).toContain('gzip')
    expect(reasonFor(Uint8Array.from({ length: 500 }, (_, i) => (i * 7) % 32))).toContain('binary')
  })

  test('a feed without items is valid', () => {
    expect(read('<rss><channel><title>T</title></channel></rss>')).toEqual({
      title: 'T',
      link: null,
      items: [],
    })
    expect(read('<feed/>')).toEqual({ title: null, link: null, items: [] })
  })
})
