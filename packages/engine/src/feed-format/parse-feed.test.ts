import { type FeedItem, type ParsedFeed, parsedFeed } from '@steward/contract'
import { describe, expect, test } from 'vitest'
import { type FeedHints, parseFeed } from './index.ts'

const read = (body: string | Uint8Array, hints?: FeedHints): ParsedFeed => {
  const result = parseFeed(body, hints)
  if (!result.ok) throw result.error
  return parsedFeed.parse(result.value)
}
const readOne = (body: string, hints?: FeedHints): FeedItem => {
  const [item, ...others] = read(body, hints).items
  if (item === undefined || others.length > 0) throw new Error('one item expected')
  return item
}
const rss = (item: string) => `<rss version="2.0"><channel><title>F</title>${item}</channel></rss>`
const atom = (entry: string) =>
  `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry>${entry}</entry></feed>`

describe('formats', () => {
  test('RSS 2.0', () => {
    const feed = read(`<?xml version="1.0"?>
      <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
           xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">
        <channel>
          <title>News &amp; Views</title>
          <atom:link rel="self" href="https://example.org/feed"/>
          <link>https://example.org/</link>
          <image><title>Logo</title><link>https://example.org/logo</link></image>
          <item>
            <title>First</title>
            <link>https://example.org/1</link>
            <guid isPermaLink="false">g-1</guid>
            <pubDate>Tue, 03 Feb 2026 10:11:12 +0100</pubDate>
            <dc:creator>Jane Doe</dc:creator>
            <category>A</category><category domain="x">B</category><category>a</category>
            <description>Short</description>
            <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
            <enclosure url="https://example.org/1.mp3" type="audio/mpeg" length="42"/>
          </item>
        </channel>
      </rss>`)
    expect(feed).toEqual({
      title: 'News & Views',
      link: 'https://example.org/',
      items: [
        {
          id: 'g-1',
          title: 'First',
          link: 'https://example.org/1',
          published: '2026-02-03T09:11:12.000Z',
          updated: null,
          author: 'Jane Doe',
          content: '<p>Long</p>',
          summary: 'Short',
          categories: ['A', 'B'],
          enclosures: [{ url: 'https://example.org/1.mp3', type: 'audio/mpeg', length: 42 }],
        },
      ],
    })
  })

  test('Atom 1.0', () => {
    const feed = read(`<feed xmlns="http://www.w3.org/2005/Atom">
      <title type="html">&lt;b>Notes&lt;/b></title>
      <link rel="self" href="https://example.org/atom"/><link href="https://example.org/"/>
      <author><name>Owner</name></author>
      <entry>
        <id>tag:example.org,2026:1</id><title>One</title>
        <link rel="enclosure" href="https://example.org/1.ogg" type="audio/ogg" length="7"/>
        <link rel="alternate" type="text/html" href="https://example.org/1"/>
        <published>2026-02-03T10:11:12Z</published><updated>2026-02-04T10:11:12+01:00</updated>
        <category term="t" label="Tag"/><category term="u"/>
        <summary>S</summary><content type="html">&lt;p>C&lt;/p></content>
      </entry>
      <entry><id>2</id><author><name>Guest</name></author><author><email>b@example.org</email></author></entry>
    </feed>`)
    expect(feed.title).toBe('Notes')
    expect(feed.link).toBe('https://example.org/')
    expect(feed.items[0]).toEqual({
      id: 'tag:example.org,2026:1',
      title: 'One',
      link: 'https://example.org/1',
      published: '2026-02-03T10:11:12.000Z',
      updated: '2026-02-04T09:11:12.000Z',
      author: 'Owner',
      content: '<p>C</p>',
      summary: 'S',
      categories: ['Tag', 'u'],
      enclosures: [{ url: 'https://example.org/1.ogg', type: 'audio/ogg', length: 7 }],
    })
    expect(feed.items[1]?.author).toBe('Guest')
  })

  test('Atom 0.3', () => {
    const item = readOne(`<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>F</title>
      <entry><id>1</id><title type="text/html" mode="escaped">A &lt;i>b&lt;/i></title>
      <link rel="alternate" type="text/html" href="http://example.org/1"/>
      <issued>2004-01-02T03:04:05Z</issued><modified>2004-01-03T03:04:05Z</modified>
      <content type="application/xhtml+xml" mode="xml"><p>x <b>y</b></p></content></entry></feed>`)
    expect(item).toMatchObject({
      title: 'A b',
      link: 'http://example.org/1',
      published: '2004-01-02T03:04:05.000Z',
      updated: '2004-01-03T03:04:05.000Z',
      content: '<p>x <b>y</b></p>',
    })
  })

  test('RSS 1.0', () => {
    const feed = read(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
        xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <channel rdf:about="http://example.org/rdf"><title>R</title><link>http://example.org/</link>
        <items><rdf:Seq><rdf:li rdf:resource="http://example.org/1"/></rdf:Seq></items></channel>
      <image rdf:about="i"><title>No</title></image>
      <item rdf:about="http://example.org/1"><title>One</title><dc:date>2004-05-06</dc:date>
        <dc:subject>S</dc:subject><description>D</description></item>
    </rdf:RDF>`)
    expect(feed).toMatchObject({ title: 'R', link: 'http://example.org/' })
    expect(feed.items).toMatchObject([
      {
        id: 'http://example.org/1',
        link: 'http://example.org/1',
        published: '2004-05-06T00:00:00.000Z',
        categories: ['S'],
        summary: 'D',
        content: 'D',
      },
    ])
  })

  test('RSS 0.90 and 0.91', () => {
    const old =
      read(`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://my.netscape.com/rdf/simple/0.9/">
      <channel><title>Old</title></channel><item><title>1</title><link>http://example.org/1</link></item></rdf:RDF>`)
    expect(old).toMatchObject({ title: 'Old', items: [{ id: 'http://example.org/1', title: '1' }] })
    const item =
      readOne(`<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
      <rss version="0.91"><channel><item><title>caf&eacute;</title></item></channel></rss>`)
    expect(item.title).toBe('café')
  })

  test('CDF', () => {
    const feed = read(`<CHANNEL HREF="http://example.org/"><TITLE>C</TITLE>
      <ITEM HREF="a.html" LASTMOD="2003-12-31T10:14"><TITLE>A</TITLE><ABSTRACT>S</ABSTRACT></ITEM>
      <ITEM><A HREF="http://example.org/b"/><TITLE>B</TITLE></ITEM></CHANNEL>`)
    expect(feed).toMatchObject({ title: 'C', link: 'http://example.org/' })
    expect(feed.items).toMatchObject([
      { link: 'http://example.org/a.html', summary: 'S', updated: '2003-12-31T10:14:00.000Z' },
      { link: 'http://example.org/b' },
    ])
  })

  test('JSON Feed 1.1 and 1.0', () => {
    const feed = read(
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1.1',
        title: 'J',
        home_page_url: 'https://example.org/',
        authors: [{ name: 'Owner' }],
        items: [
          {
            id: 7,
            url: '/7',
            title: 'Seven',
            content_html: '<p>x</p>',
            content_text: 'x',
            summary: 's',
            date_published: '2026-02-03T10:11:12-05:00',
            tags: ['a', 'A', 3, null],
            attachments: [{ url: 'a.mp3', mime_type: 'audio/mpeg', size_in_bytes: 9 }, { x: 1 }],
          },
          {
            id: 'b',
            author: { name: 'Guest' },
            external_url: 'https://other.example/',
            content_text: 't',
          },
          {},
          null,
        ],
      }),
    )
    expect(feed.items).toEqual([
      {
        id: '7',
        title: 'Seven',
        link: 'https://example.org/7',
        published: '2026-02-03T15:11:12.000Z',
        updated: null,
        author: 'Owner',
        content: '<p>x</p>',
        summary: 's',
        categories: ['a', '3'],
        enclosures: [{ url: 'https://example.org/a.mp3', type: 'audio/mpeg', length: 9 }],
      },
      expect.objectContaining({
        id: 'b',
        author: 'Guest',
        link: 'https://other.example/',
        content: 't',
      }),
    ])
  })
})

describe('real JSON Feeds', () => {
  const items = (list: string) => read(`{"items":[${list}]}`).items

  test('numbers that JSON does not allow', () => {
    expect(items('{"id":NaN,"title":"a"},{"id":"b","x":[-Infinity, 1]}')).toMatchObject([
      { title: 'a' },
      { id: 'b' },
    ])
  })

  test('authors', () => {
    const authors = items(
      `{"author":{"url":"mailto:jane@example.org?subject=x"}},{"authors":{"name":"Jane"}},
       {"author":"Joe"},{"authors":[{"name":" A "},{"url":"https://b.example/"}]},{"authors":[null,3,{}]}`,
    ).map(({ author }) => author)
    expect(authors).toEqual(['jane@example.org', 'Jane', 'Joe', 'A, https://b.example/', '3'])
  })

  test('tags in one text', () => {
    expect(items('{"tags":"a, b"},{"tags":["a, b","c"]}').map((item) => item.categories)).toEqual([
      ['a', 'b'],
      ['a, b', 'c'],
    ])
  })

  test('no items, and no version', () => {
    expect(read('{"title":"T","home_page_url":"https://example.org/"}')).toEqual({
      title: 'T',
      link: 'https://example.org/',
      items: [],
    })
    expect(read('{"version":"https://jsonfeed.org/version/1","items":null}').items).toEqual([])
  })
})

describe('namespaces', () => {
  test('unusual prefixes, by their namespace', () => {
    const item =
      readOne(`<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://purl.org/rss/1.0/"
      xmlns:d="http://purl.org/dc/elements/1.1/" xmlns:c="http://purl.org/rss/1.0/modules/content/">
      <s:channel><s:title>T</s:title></s:channel><s:item r:about="http://example.org/1"><s:title>One</s:title>
      <d:creator>Jane</d:creator><c:encoded>&lt;p></c:encoded></s:item></r:RDF>`)
    expect(item).toMatchObject({
      id: 'http://example.org/1',
      title: 'One',
      author: 'Jane',
      content: '<p>',
    })
  })

  test('usual prefixes that are undeclared, or bound to something else', () => {
    const item = readOne(
      `<rss xmlns:content="urn:wrong"><channel><item><dc:creator>Jane</dc:creator><content:encoded>C</content:encoded><itunes:author>Not she</itunes:author></item></channel></rss>`,
    )
    expect(item).toMatchObject({ author: 'Jane', content: 'C' })
  })

  test('foreign elements of the same local name are ignored', () => {
    const item = readOne(
      rss(
        '<item xmlns:svg="http://www.w3.org/2000/svg"><svg:title>No</svg:title><title>Yes</title><x:link>no</x:link></item>',
      ),
    )
    expect(item).toMatchObject({ title: 'Yes', link: null })
  })

  test('an unknown default namespace counts as feed markup', () => {
    expect(
      read(
        '<rss xmlns="urn:mystery"><channel><title>T</title><item><title>1</title></item></channel></rss>',
      ),
    ).toMatchObject({ title: 'T', items: [{ title: '1' }] })
  })

  test('Atom with a prefix', () => {
    const item = readOne(
      '<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:entry><a:id>1</a:id><a:title>T</a:title></a:entry></a:feed>',
    )
    expect(item).toMatchObject({ id: '1', title: 'T' })
  })

  test('lists inside an item that use the name item', () => {
    const feed = read(
      rss(
        '<item><title>One</title><tags><item>x</item><item>y</item></tags><guid>1</guid></item><item><guid>2</guid></item>',
      ),
    )
    expect(feed.items.map(({ id, title }) => [id, title])).toEqual([
      ['1', 'One'],
      ['2', null],
    ])
  })

  test('media, iTunes and FeedBurner', () => {
    const item = readOne(
      rss(`<item><feedburner:origLink>https://example.org/real</feedburner:origLink><link>https://feeds.example/x</link>
        <itunes:keywords>one, two</itunes:keywords><slash:comments>3</slash:comments><georss:point>1 2</georss:point>
        <media:group><media:content url="https://example.org/v.mp4" type="video/mp4" fileSize="1,000"/><media:description>About</media:description></media:group>
        <enclosure url="https://example.org/v.mp4" length="none"/><media:thumbnail url="https://example.org/t.jpg"/></item>`),
    )
    expect(item).toMatchObject({
      link: 'https://example.org/real',
      categories: ['one', 'two'],
      content: 'About',
      summary: null,
      enclosures: [{ url: 'https://example.org/v.mp4', type: 'video/mp4', length: 1000 }],
    })
  })
})

describe('alternative places', () => {
  test.each([
    [
      '<itunes:category text="Arts"><itunes:category text="Design"/></itunes:category><itunes:category text="News"/>',
      { categories: ['Arts', 'Design', 'News'] },
    ],
    [
      '<media:group><media:content url="https://example.org/v"><media:title>T</media:title><media:category label="L">c</media:category></media:content><media:keywords>k, m</media:keywords></media:group>',
      { title: 'T', categories: ['L', 'k', 'm'] },
    ],
    [
      '<media:content url="https://example.org/v"><media:description>D</media:description></media:content>',
      { content: 'D', summary: null },
    ],
    ['<fullitem>&lt;p>x&lt;/p></fullitem>', { content: '<p>x</p>', summary: null }],
    ['<summary>S</summary><description>D</description>', { content: 'D', summary: 'S' }],
    [
      '<summary>S</summary><description>D</description><content:encoded>C</content:encoded>',
      { content: 'C', summary: 'D' },
    ],
    [
      '<link rel="enclosure" type="a/b">https://example.org/e</link>',
      { link: null, enclosures: [{ url: 'https://example.org/e', type: 'a/b', length: null }] },
    ],
    [
      '<atom:link href="https://example.org/feed"/><link>https://example.org/1</link>',
      { link: 'https://example.org/1' },
    ],
    ['<contributor><name>C</name></contributor>', { author: null }],
    ['<author>(Jane)</author>', { author: 'Jane' }],
    ['<author>by <a href="/jane">Jane</a></author>', { author: 'by Jane' }],
    ['<itunes:subtitle>S</itunes:subtitle>', { content: 'S', summary: 'S' }],
    [
      '<enclosure url="https://feeds.example/c" type="a/b"/><feedburner:origEnclosureLink>https://example.org/e</feedburner:origEnclosureLink>',
      { enclosures: [{ url: 'https://example.org/e', type: 'a/b', length: null }] },
    ],
    [
      '<image><title>I</title><link>https://example.org/i</link></image>',
      { title: null, link: null },
    ],
  ])('%s', (markup, expected) => {
    expect(readOne(rss(`<item>${markup}</item>`))).toMatchObject(expected)
  })

  test('enclosures of unknown length', () => {
    const lengths = ['', '-1', '1e3', '12.5 MB', ' 7 ']
    const item = readOne(
      rss(
        `<item>${lengths.map((length, n) => `<enclosure url="https://example.org/${n}" length="${length}"/>`).join('')}<enclosure length="5"/></item>`,
      ),
    )
    expect(item.enclosures.map(({ length }) => length)).toEqual([null, null, null, null, 7])
  })
})

describe('bodies', () => {
  test.each([
    [
      'xhtml',
      '<div xmlns="http://www.w3.org/1999/xhtml"><p>a &lt; <b>b</b></p></div>',
      '<p>a &lt; <b>b</b></p>',
    ],
    ['xhtml', '<h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:p>a</h:p></h:div>', '<p>a</p>'],
    ['xhtml', '<div>a</div><div>b</div>', '<div>a</div><div>b</div>'],
    ['xhtml', '<div><p><![CDATA[1 < 2]]></p></div>', '<p>1 &lt; 2</p>'],
    ['html', '&lt;p&gt;x &amp;amp; y&lt;/p&gt;', '<p>x &amp; y</p>'],
    ['html', '<![CDATA[<p>x</p>]]>', '<p>x</p>'],
    ['text', 'a &lt; b', 'a < b'],
    ['text/plain', 'x', 'x'],
    ['application/xml', '<x><y/></x>', '<x><y/></x>'],
    ['application/octet-stream', 'AAAA', null],
    ['application/octet-stream', '/9j/4AAQSkY=', null],
    ['application/octet-stream', 'PHA+R3LDtsOfZTwvcD4=', '<p>Größe</p>'],
    [
      'application/xhtml+xml',
      '<div xmlns="http://www.w3.org/1999/xhtml"><p>a</p></div>',
      '<p>a</p>',
    ],
    ['html', '<div xmlns="http://www.w3.org/1999/xhtml">&lt;p>a&lt;/p></div>', '<p>a</p>'],
    ['html', '<div xmlns="http://www.w3.org/1999/xhtml"><p>&lt;a></p></div>', '<p>&lt;a></p>'],
    ['html', '<div class="x"><p>a</p></div>', '<div class="x"><p>a</p></div>'],
  ])('Atom content of type %s: %s', (type, inner, expected) => {
    expect(readOne(atom(`<id>1</id><content type="${type}">${inner}</content>`)).content).toBe(
      expected,
    )
  })

  test('Atom 0.3 base64, padded or not, and invalid base64', () => {
    const content = (text: string) =>
      readOne(atom(`<id>1</id><content mode="base64">${text}</content>`)).content
    expect(content('PHA+R3LDtsOf\n ZTwvcD4=')).toBe('<p>Größe</p>')
    expect(content('eHk')).toBe('xy')
    expect(content('not base64!')).toBe('not base64!')
  })

  test('unescaped markup in a description', () => {
    const item = readOne(
      rss(
        '<item><description><p>One<br>two <a href="?a=1&b=2">&amp;</a></p></description><guid>1</guid></item>',
      ),
    )
    expect(item).toMatchObject({
      summary: '<p>One<br>two <a href="?a=1&b=2">&amp;</a></p>',
      id: '1',
    })
  })

  test('an XHTML body in RSS', () => {
    const item = readOne(
      rss(
        '<item><description>s</description><body xmlns="http://www.w3.org/1999/xhtml"><p>x</p></body></item>',
      ),
    )
    expect(item).toMatchObject({ summary: 's', content: '<p>x</p>' })
  })

  test('escaped twice', () => {
    const item = readOne(
      rss('<item><description>&amp;lt;p&amp;gt;Hi&amp;lt;/p&amp;gt;</description></item>'),
    )
    expect(item.content).toBe('<p>Hi</p>')
  })

  test('CDATA in several sections', () => {
    const item = readOne(
      rss('<item><description>a <![CDATA[<b>]]]]><![CDATA[></b>]]> &amp; c</description></item>'),
    )
    expect(item.content).toBe('a <b>]]></b> & c')
  })
})

describe('titles', () => {
  test.each([
    ['A &amp; B', 'A & B'],
    ['A &amp;amp; B', 'A & B'],
    ['<![CDATA[A &amp; B]]>', 'A & B'],
    ['  two\n\t lines ', 'two lines'],
    ['&lt;b>bold&lt;/b> &amp;eacute;', 'bold é'],
    ['the &lt;canvas&gt; element', 'the <canvas> element'],
    ['1 &lt; 2 &amp;lt; 3', '1 < 2 < 3'],
    ['a < b > c', 'a < b > c'],
    [
      'Tom & Jerry &nbsp;&hellip; &unknown; &#8217; &#146; &#x2019;',
      'Tom & Jerry … &unknown; ’ ’ ’',
    ],
    ['<b>bold</b> &amp; plain', 'bold & plain'],
    ['<![CDATA[]]>', null],
    ['<![CDATA[&lt;p&gt;Title&lt;/p&gt;]]>', 'Title'],
    ['on &amp;lt;em class="x"&amp;gt;Dune&amp;lt;/em&amp;gt;', 'on Dune'],
    ['the &amp;lt;b&amp;gt; tag', 'the <b> tag'],
    ['&amp;lt;canvas&amp;gt;x&amp;lt;/canvas&amp;gt;', '<canvas>x</canvas>'],
  ])('RSS %j', (inner, expected) => {
    expect(readOne(rss(`<item><title>${inner}</title><guid>1</guid></item>`)).title).toBe(expected)
  })

  test.each([
    ['', 'a &lt;b> &amp;amp;', 'a <b> &amp;'],
    ['type="text"', '&lt;i>', '<i>'],
    ['type="text"', 'it&amp;#8217;s', 'it’s'],
    ['type="html"', '&lt;canvas>x&lt;/canvas> &amp;lt;', 'x <'],
    ['type="application/octet-stream"', 'PGI+YTwvYj4=', 'a'],
    ['type="xhtml"', '<div xmlns="http://www.w3.org/1999/xhtml">a <i>b</i> &lt;</div>', 'a b <'],
  ])('Atom %s %j', (type, inner, expected) => {
    expect(readOne(atom(`<id>1</id><title ${type}>${inner}</title>`)).title).toBe(expected)
  })
})

describe('authors', () => {
  test.each([
    ['<author>jane@example.org (Jane Doe)</author>', 'Jane Doe'],
    ['<author>Jane Doe &lt;jane@example.org&gt;</author>', 'Jane Doe'],
    ['<author>Jane Doe (jane@example.org)</author>', 'Jane Doe'],
    ['<author>jane@example.org</author>', 'jane@example.org'],
    ['<author>mailto:jane@example.org ()</author>', 'jane@example.org'],
    ['<author>jane@example.org</author><dc:creator>Jane Doe</dc:creator>', 'Jane Doe'],
    ['<dc:creator>A</dc:creator><dc:creator>B</dc:creator>', 'A, B'],
    ['<itunes:author>Jane</itunes:author>', 'Jane'],
    ['<author><name>Jane</name><email>j@example.org</email></author>', 'Jane'],
    ['<author><email>j@example.org</email></author>', 'j@example.org'],
    ['', null],
  ])('%s', (markup, expected) => {
    expect(readOne(rss(`<item><guid>1</guid>${markup}</item>`)).author).toBe(expected)
  })
})

describe('links', () => {
  test.each([
    ['<link>/a?b=1&amp;c=2</link>', 'https://example.org/a?b=1&c=2'],
    ['<link href="https://example.org/h"/>', 'https://example.org/h'],
    ['<link>\n https://example.org/\nx </link>', 'https://example.org/x'],
    ['<link><![CDATA[https://example.org/c?a&b]]></link>', 'https://example.org/c?a&b'],
    ['<link>https://example.org/?a=1&amp;amp;b=2</link>', 'https://example.org/?a=1&b=2'],
    ['<guid>https://example.org/g</guid>', 'https://example.org/g'],
    ['<guid isPermaLink="true">g</guid>', 'https://example.org/g'],
    ['<guid isPermaLink="false">https://example.org/g</guid>', null],
    ['<guid>g</guid>', null],
    ['<atom:link rel="self" href="https://example.org/self"/><guid>g</guid>', null],
    ['<link>//cdn.example.org/x</link>', 'https://cdn.example.org/x'],
    ['<link xml:base="https://other.example/dir/">x</link>', 'https://other.example/dir/x'],
  ])('%s', (markup, expected) => {
    const body = `<rss><channel><link>https://example.org/</link><item><title>t</title>${markup}</item></channel></rss>`
    expect(readOne(body).link).toBe(expected)
  })

  test('xml:base from outermost to innermost, against the address of the feed', () => {
    const feed = read(
      `<feed xml:base="/blog/"><link href="."/><entry xml:base="2026/"><id>1</id><link href="a.html"/></entry></feed>`,
      { url: 'https://example.org/feed.xml' },
    )
    expect(feed.link).toBe('https://example.org/blog/')
    expect(feed.items[0]?.link).toBe('https://example.org/blog/2026/a.html')
  })

  test('relative to the self link when nothing else is known', () => {
    const body = `<feed><link rel="self" href="https://example.org/blog/feed"/><link href="/blog/"/><entry><id>1</id><link href="a"/></entry></feed>`
    expect(read(body)).toMatchObject({
      link: 'https://example.org/blog/',
      items: [{ link: 'https://example.org/blog/a' }],
    })
    expect(read(body, { url: 'https://other.example/feed' }).link).toBe(
      'https://other.example/blog/',
    )
    const json = '{"feed_url":"https://example.org/j/feed","items":[{"url":"a"}]}'
    expect(readOne(json).link).toBe('https://example.org/j/a')
  })

  test('relative to the address alone, or unchanged', () => {
    const body = rss('<item><link>a.html</link></item>')
    expect(readOne(body, { url: 'https://example.org/x/feed' }).link).toBe(
      'https://example.org/x/a.html',
    )
    expect(readOne(body).link).toBe('a.html')
  })
})

describe('addresses in bodies', () => {
  const content = (attributes: string, inner: string, hints?: FeedHints) =>
    readOne(atom(`<id>1</id><content ${attributes}>${inner}</content>`), hints).content
  const HTML = 'type="html" xml:base="https://example.org/a/"'

  test.each([
    ['<a href="b.html">x</a>', '<a href="https://example.org/a/b.html">x</a>'],
    ["<img alt='' SRC='/b.png'>", "<img alt='' SRC='https://example.org/b.png'>"],
    ['<img src=b.png width=1>', '<img src="https://example.org/a/b.png" width=1>'],
    ['<a href="?a=1&amp;b=2">x</a>', '<a href="https://example.org/a/?a=1&amp;b=2">x</a>'],
    ['<img src="//cdn.example.org/x">', '<img src="https://cdn.example.org/x">'],
    [
      '<video poster="p.jpg" src="data:,x">',
      '<video poster="https://example.org/a/p.jpg" src="data:,x">',
    ],
    ['<a href="#note">1</a>', '<a href="#note">1</a>'],
    ['<a href="">1</a>', '<a href="">1</a>'],
    ['<a href="mailto:a@example.org">1</a>', '<a href="mailto:a@example.org">1</a>'],
    ['<p>write href="b.html"</p>', '<p>write href="b.html"</p>'],
    ['<a data-href="b.html">x</a>', '<a data-href="b.html">x</a>'],
  ])('%s', (inner, expected) => {
    expect(content(HTML, `<![CDATA[${inner}]]>`)).toBe(expected)
  })

  test('of plain text stay unchanged', () => {
    expect(content('type="text"', '&lt;a href="b">', { url: 'https://example.org/' })).toBe(
      '<a href="b">',
    )
  })

  test('are relative to the page of the item if that is on the site, otherwise to the site', () => {
    const page = (link: string) =>
      readOne(
        `<rss><channel><link>https://example.org/</link><item><link>${link}</link><description>&lt;img src="b.png"></description></item></channel></rss>`,
      ).summary
    expect(page('https://www.example.org/2026/x/')).toBe(
      '<img src="https://www.example.org/2026/x/b.png">',
    )
    expect(page('https://other.example/x/')).toBe('<img src="https://example.org/b.png">')
  })

  test('stay unchanged without a base, and a file name is not a base', () => {
    const inner = '&lt;img src="b.png">'
    expect(content('type="html"', inner, { url: '/home/jane/feed.xml' })).toBe('<img src="b.png">')
    const file = read(
      '<feed xml:base="/b/"><link href="https://example.org/"/><entry><id>1</id><link href="c"/></entry></feed>',
      { url: '/home/feed.xml' },
    )
    expect(file.items[0]?.link).toBe('https://example.org/b/c')
  })

  test('do not change a hashed id', () => {
    const id = (url?: string) =>
      readOne(
        rss('<item><description>&lt;img src="b.png"></description></item>'),
        url === undefined ? {} : { url },
      ).id
    expect(id('https://example.org/')).toBe(id())
  })
})

describe('identity', () => {
  const ids = (items: string) => read(rss(items)).items.map(({ id }) => id)

  test('a repeated guid is combined with the link, then numbered from the end', () => {
    expect(
      ids(`<item><guid>g</guid><link>https://example.org/1</link></item>
           <item><guid>g</guid><link>https://example.org/2</link></item>
           <item><guid>g</guid><link>https://example.org/2</link></item><item><guid>h</guid></item>`),
    ).toEqual(['g https://example.org/1', 'g #2', 'g #1', 'h'])
  })

  test('without a guid the link, and a hash if links repeat or are missing', () => {
    const found = ids(`<item><link>https://example.org/</link><title>a</title></item>
      <item><link>https://example.org/</link><title>b</title></item>
      <item><link>https://example.org/3</link></item><item><title>c</title></item>`)
    expect(found[0]).toMatch(/^https:\/\/example\.org\/ sha256:[0-9a-f]{64}$/)
    expect(found[2]).toBe('https://example.org/3')
    expect(found[3]).toMatch(/^sha256:[0-9a-f]{64}$/)
    expect(new Set(found).size).toBe(4)
  })

  test('a changed date does not change a hashed id', () => {
    const at = (day: number) =>
      ids(`<item><title>c</title><pubDate>${day} Jan 2026</pubDate></item>`)
    expect(at(1)).toEqual(at(2))
  })

  test('a generated id never equals a real one', () => {
    const found = ids(
      '<item><guid>g</guid></item><item><guid>g</guid></item><item><guid>g #1</guid></item>',
    )
    expect(new Set(found).size).toBe(3)
  })
})
