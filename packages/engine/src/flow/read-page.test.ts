import type { JsonObject } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPageText } from './page-lines.ts'
import { numberIn, readPage } from './read-page.ts'
import type { SourceOf } from './source.ts'
import type { SourceMemory } from './source-memory.ts'

describe('the text of a page', () => {
  it('is what a reader sees, a line for each block', () => {
    const page = `<!doctype html><html><head><title>Our &amp; News</title><style>p { x: 1 }</style>
      <script>if (a < b) alert("</p>")</script></head><body><h1>News</h1><!-- <p>no</p> -->
      <p>One <b>bold</b>
      word</p><ul><li>first<li>second</ul><td title="a > b">cell</td>5 &lt; 6 and 1 < 2</body></html>`
    expect(readPageText(page)).toEqual({
      title: 'Our & News',
      lines: ['News', 'One bold word', 'first', 'second', 'cell', '5 < 6 and 1 < 2'],
    })
  })

  it('keeps the lines of a plain text', () => {
    expect(readPageText('one\n\n two  three \n1 < 2').lines).toEqual(['one', 'two three', '1 < 2'])
  })

  it('takes one pass, whatever is left open', () => {
    for (const part of ['<!--', '<script>', '<p', '<title>', '<a href="', '</', '<?', '&#']) {
      const lines = readPageText(part.repeat(300_000)).lines
      expect(lines.length).toBeLessThan(300_001)
    }
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<', '>', 'p', '/', '"', '=', '!--', '--', 'script', ' ', 'x')),
        (parts) => readPageText(parts.join('')).lines.every((line) => line.trim() !== ''),
      ),
    )
  })
})

const watch = (source: Partial<SourceOf<'page'>>, pages: string[]) => {
  let state: JsonObject | undefined
  const memory: SourceMemory = {
    recall: async () => state && JSON.parse(JSON.stringify(state)),
    keep: (_, next) => {
      state = next
    },
    commit: async () => undefined,
  }
  return () =>
    readPage(
      { type: 'page', url: 'https://example.com/shop', ...source },
      {
        memory,
        now: () => 0,
        report: () => undefined,
        secret: () => undefined,
        fetch: async () =>
          new Response(pages.shift(), { headers: { 'content-type': 'text/html; charset=utf-8' } }),
      },
    )
}

describe('a page', () => {
  it('is an item at first and at every change, also back to an earlier text', async () => {
    const read = watch({}, [
      '<title>Shop</title><p>Open</p><p>Mo–Fr</p>',
      '<title>Shop</title> <p>Open</p><p>Mo–Fr</p>',
      '<title>Shop</title><p>Closed</p><p>Mo–Fr</p>',
      '<title>Shop</title><p>Open</p><p>Mo–Fr</p>',
    ])
    expect(await read()).toMatchObject([
      { id: 'https://example.com/shop#1', title: 'Shop', payload: { is_first: true, added: '' } },
    ])
    expect(await read()).toEqual([])
    expect(await read()).toMatchObject([
      {
        id: 'https://example.com/shop#2',
        payload: { is_first: false, added: 'Closed', removed: 'Open', content: 'Closed\nMo–Fr' },
      },
    ])
    expect(await read()).toMatchObject([
      { id: 'https://example.com/shop#3', payload: { added: 'Open', removed: 'Closed' } },
    ])
  })

  it('is watched for one value only', async () => {
    const read = watch({ find: 'Price: {value} EUR' }, [
      '<p>Price: 1.299,00 EUR</p><p>12 visitors</p>',
      '<p>Price: 1.299,00 EUR</p><p>13 visitors</p>',
      '<p>Price: 999 EUR</p>',
      '<p>Sold out</p>',
    ])
    expect(await read()).toMatchObject([{ payload: { value: 1299 } }])
    expect(await read()).toEqual([])
    expect(await read()).toMatchObject([{ payload: { value: 999, previous_value: 1299 } }])
    await expect(read()).rejects.toThrow('the page does not contain "Price: {value} EUR"')
  })
})

it('reads the numbers of prices', () => {
  const read = (texts: string) => texts.split('|').map(numberIn)
  expect(read("49|$1,299.00|1.299,00 €|1 299,5|CHF 12'000|3,141")).toEqual([
    49, 1299, 1299, 1299.5, 12000, 3141,
  ])
  expect(read('sold out|A4|from 3 to 5')).toEqual([undefined, 4, undefined])
})
