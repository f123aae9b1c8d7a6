import { parseFeed } from '@steward/engine'
import { parseFeed as parseWithFeedsmith } from 'feedsmith'

type Print = (line: string) => void

const SIZES_MB = [1, 5, 20]
const ROUNDS = 5

/**
 * From bytes to items with our reader, compared with feedsmith on already decoded text (it does not
 * accept bytes), on the same generated feeds in the same run. A ratio above 1 means that ours is
 * faster.
 */
export const benchFeed = async (print: Print): Promise<void> => {
  for (const [format, makeItem] of Object.entries(ITEMS)) {
    for (const megabytes of SIZES_MB) {
      const text = makeFeed(format, makeItem, megabytes * 1e6)
      const bytes = new TextEncoder().encode(text)
      const [ours, theirs] = compare(
        () => countOurs(bytes),
        () => countTheirs(text),
      )
      if (ours.result !== theirs.result) {
        throw new Error(`${format}: ${ours.result} items here, ${theirs.result} with feedsmith`)
      }
      const speed = (ms: number) => `${(bytes.length / 1e3 / ms).toFixed(0)} MB/s`
      print(
        `feed ${format} ${megabytes} MB, ${ours.result} items: parseFeed ${speed(ours.ms)}, feedsmith ${speed(theirs.ms)}, ratio ${(theirs.ms / ours.ms).toFixed(1)}`,
      )
    }
  }
}

const countOurs = (bytes: Uint8Array): number => {
  const parsed = parseFeed(bytes)
  if (!parsed.ok) throw parsed.error
  return parsed.value.items.length
}

const countTheirs = (text: string): number => {
  const parsed = parseWithFeedsmith(text)
  if (parsed.format === 'rss') return parsed.feed.items?.length ?? 0
  return parsed.format === 'atom' ? (parsed.feed.entries?.length ?? 0) : 0
}

interface Measure {
  ms: number
  result: number
}

/** Alternating, and the best of a few: other rounds include garbage collection or other load. */
const compare = (first: () => number, second: () => number): [Measure, Measure] => {
  const best: [Measure, Measure] = [measure(first), measure(second)]
  for (let round = 1; round < ROUNDS; round++) {
    best[0] = faster(best[0], measure(first))
    best[1] = faster(best[1], measure(second))
  }
  return best
}

const faster = (a: Measure, b: Measure): Measure => (a.ms <= b.ms ? a : b)

const measure = (run: () => number): Measure => {
  const startedMs = performance.now()
  const result = run()
  return { ms: performance.now() - startedMs, result }
}

const PARAGRAPH =
  'The quick brown fox of Zürich jumps over the lazy dog while “quoting” itself — at length. '
const HTML = `<p>${PARAGRAPH.repeat(4)}</p><p><a href="https://example.org/?a=1&amp;b=2">link</a> &amp; <b>bold</b></p>`
const ESCAPED = HTML.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const DATE = 'Tue, 03 Feb 2026 10:11:12 +0100'

const ITEMS = {
  'rss-cdata': (n: number) =>
    `<item><title>Post ${n} &amp; more</title><link>https://example.org/${n}</link><guid isPermaLink="false">id-${n}</guid><pubDate>${DATE}</pubDate><dc:creator><![CDATA[Jane Doe]]></dc:creator><category>News</category><category>Örtliches</category><description><![CDATA[${PARAGRAPH}]]></description><content:encoded><![CDATA[${HTML.repeat(4)}]]></content:encoded></item>\n`,
  'rss-escaped': (n: number) =>
    `<item><title>Post ${n}</title><link>https://example.org/${n}</link><guid>https://example.org/${n}</guid><pubDate>${DATE}</pubDate><author>jane@example.org (Jane Doe)</author><description>${ESCAPED.repeat(2)}</description><enclosure url="https://example.org/${n}.mp3" length="1234567" type="audio/mpeg"/></item>\n`,
  'atom-xhtml': (n: number) =>
    `<entry><id>tag:example.org,2026:${n}</id><title type="html">Post ${n}</title><link rel="alternate" href="https://example.org/${n}"/><published>2026-02-03T10:11:12Z</published><updated>2026-02-03T11:11:12+01:00</updated><author><name>Jane Doe</name></author><category term="news"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${HTML.repeat(2)}</div></content></entry>\n`,
}

const makeFeed = (format: string, makeItem: (n: number) => string, size: number): string => {
  const count = Math.ceil(size / new TextEncoder().encode(makeItem(1000)).length)
  const items = Array.from({ length: count }, (_, n) => makeItem(n)).join('')
  const prolog = '<?xml version="1.0" encoding="UTF-8"?>\n'
  if (format.startsWith('atom')) {
    return `${prolog}<feed xmlns="http://www.w3.org/2005/Atom"><title>Made</title><id>made</id>${items}</feed>`
  }
  return `${prolog}<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Made</title><link>https://example.org/</link>${items}</channel></rss>`
}

if (import.meta.main) await benchFeed(console.log)
