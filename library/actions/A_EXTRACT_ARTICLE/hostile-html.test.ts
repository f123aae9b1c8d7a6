import { join } from 'node:path'
import { createReaderThreads } from '@steward/platform'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReadArticle } from './read-html.ts'

const LONG_MS = 120_000
/** Ends a parser that hangs; no page comes near the limit. */
const reader = createReaderThreads<string, ReadArticle>({
  module: join(import.meta.dirname, '../../lib/testing/read-html-aside.ts'),
  limitMs: LONG_MS,
  heapBytes: 512 * 1024 ** 2,
})
beforeAll(async () => {
  await reader.read('', 'the markup')
}, LONG_MS)
afterAll(reader.close)

/** The text of an article, or why the markup was refused. */
const read = async (html: string): Promise<{ text: string } | { refused: string }> => {
  try {
    const { text } = await reader.read(html, 'the markup')
    return { text }
  } catch (thrown) {
    return { refused: Object(thrown).details.reason }
  }
}

const fill = (piece: string): string => piece.repeat(Math.floor(20_000 / piece.length))

describe('hostile HTML is read or refused', () => {
  it.each([
    ['5 KB of nested elements', `<html><body>${'<div>'.repeat(1000)}text`, /more than 200 deep/],
    [
      '1.5 MB of nested elements',
      `<html><body>${'<div>'.repeat(300_000)}text`,
      /more than 200 deep/,
    ],
    ['nested elements in a fragment', '<b>'.repeat(1000), /more than 200 deep/],
    ['more elements than allowed', '<br>'.repeat(45_001), /more than 45000 elements/],
    ['a megabyte of signs that begin no tag', '<'.repeat(1_000_000), /more markup and text/],
    ['a megabyte of comments', `${'<!---->'.repeat(140_000)}x`, /more markup and text/],
    ['many small elements', '<p><a href=x>w</a></p>'.repeat(21_000), /more markup and text/],
    ['more characters than allowed', 'x'.repeat(5_000_001), /more than 5000000 characters/],
  ])('%s', async (_, html, reason) => {
    expect(await read(html)).toEqual({ refused: expect.stringMatching(reason) })
  })

  it.each([
    ['character references', fill('&amp;')],
    ['character references in a page', `<html><body><p>${fill('&amp;')}`],
    ['cells without a table', fill('<td>x')],
    ['items without a list', fill('<li>x')],
    ['line breaks', `<html><body>${fill('x<br>')}`],
    ['attributes', `<p ${fill('a=b ')}>x`],
    ['an attribute of many words', `<p class="${'x '.repeat(900_000)}">x`],
    [
      'an image with a long list of sources',
      `<html><body><p>x<img srcset="${'x'.repeat(900_000)} y">`,
    ],
    ['a style of spaces', `<html><body><p style="a${' '.repeat(900_000)}b">x`],
    ['as deep as allowed', `${'<i>'.repeat(199)}x`],
  ])('reads %s', async (_, html) => {
    expect(await read(html)).toEqual({ text: expect.stringMatching(/[x&]/) })
  })

  const PIECES = fc.constantFrom(
    ...[
      '<p>',
      '</p>',
      '<div>',
      '</div>',
      '<article>',
      '</article>',
      '<li>',
      '<ul>',
      '</ul>',
      '<br>',
    ],
    ...['<table>', '<tr>', '<td>', '<pre>', '</pre>', '<h2>', '</h2>', '<svg>', '<g/>', '<nav>'],
    ...['<script>', '</script>', '<style>', '<title>', '</title>', '<template>', '<noscript>'],
    ...[
      '<html>',
      '<head>',
      '<body>',
      '</body>',
      '<!doctype html>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
    ],
    ...['<', '>', '"', "'", '=', '&', '&amp;', '&#x', '\0', 'text, more text. ', ' ', '\n', '- '],
    ...[
      '<meta property="og:title" content="',
      '<time datetime="',
      '<a href="',
      '/>',
      '">',
      '<math>',
    ],
  )
  const MARKUP = fc
    .array(fc.tuple(PIECES, fc.integer({ min: 1, max: 40 })), { maxLength: 12 })
    .map((pieces) => pieces.map(([each, count]) => each.repeat(count)).join(''))

  it(
    'in 500 generated variations',
    async () => {
      const property = fc.asyncProperty(MARKUP, async (html) => {
        const result = await read(html)
        if ('refused' in result) expect(result.refused).toMatch(/more than 200 deep/)
        else expect(result.text).toBe(result.text.trim())
      })
      await fc.assert(property, { numRuns: 500, seed: 17 })
    },
    LONG_MS,
  )
})
