import { once } from 'node:events'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPageReader, type PageReader } from './page-reader.ts'
import type { PageText } from './read-page.ts'

const MAX_CHARS = 1000
const LONG_MS = 120_000
const patient = createPageReader({ limitMs: LONG_MS })
beforeAll(async () => {
  await patient.read({ html: '', address: 'https://a.test/', maxChars: 1 })
}, LONG_MS)
afterAll(patient.close)

const readIn = async (reader: PageReader, html: string): Promise<PageText | string> => {
  const page = { html, address: 'https://a.test/b', maxChars: MAX_CHARS }
  try {
    return await reader.read(page)
  } catch (thrown) {
    const { code, message } = Object(thrown)
    expect(code).toBe('rejected_content')
    return message
  }
}

const fill = (piece: string): string => piece.repeat(Math.floor(20_000 / piece.length))

const HOSTILE: Record<string, string> = {
  'character references only': fill('&amp;'),
  'character references that never end': fill('&#x'),
  'attributes of one element': `<p ${fill('a=b ')}>x`,
  'an attribute that never ends': `<p a="${fill('<p>')}`,
  'comments that never end': fill('<!--'),
  'links that expand': fill('<a href=x>x</a>'),
  'links in links': '<a href=x>'.repeat(190),
  'cells without a table': fill('<td>x'),
  'many titles': fill('<title>x</title>'),
  'many bodies': fill('<body>x'),
  'structured data': fill('<script type="application/ld+json">{"@type":"Article"}</script>'),
  'structured data, nested': `<script type="application/ld+json">${'['.repeat(100_000)}</script><p>x`,
  'line breaks': fill('<br>'),
  'classes that look like an article': fill('<div class="article comment">a, b</div>'),
  'null characters': fill('\0<p>'),
  'only an end tag': '</html>',
  'an empty page': '',
}

describe('hostile pages are answered or refused', () => {
  it.each(Object.entries(HOSTILE))('%s', async (_, html) => {
    const read = await readIn(patient, html)
    if (typeof read === 'string') expect(read).toContain('the page cannot be read: ')
    else expect(read.text.length).toBe(Math.min(read.chars, MAX_CHARS))
  })

  const TAGS = fc.constantFrom(
    ...['<p>', '</p>', '<div>', '</div>', '<div class="content">', '<a href="x">', '</a>', '<br>'],
    ...['<table>', '<tr>', '<td>', '</table>', '<ul>', '<li>', '<h1>', '</h1>', '<svg>', '<g/>'],
    ...['<script>', '</script>', '<style>', '<title>', '</title>', '<textarea>', '<template>'],
    ...['<html>', '<head>', '<body>', '</body>', '</html>', '<!doctype html>', '<![CDATA[', ']]>'],
    ...[
      '<!--',
      '-->',
      '<',
      '>',
      '"',
      "'",
      '=',
      '&',
      '&amp;',
      '&#x',
      '\0',
      'text, more text. ',
      ' ',
    ],
    ...['<math>', '<mi>', '<frameset>', '<noscript>', '<img src=x>', '<article>', '<p a="', '/>'],
  )
  const PAGES = fc
    .array(fc.tuple(TAGS, fc.integer({ min: 1, max: 40 })), { maxLength: 12 })
    .map((pieces) => pieces.map(([each, count]) => each.repeat(count)).join(''))

  it(
    'in 500 generated variations',
    async () => {
      const property = fc.asyncProperty(PAGES, async (html) => {
        const read = await readIn(patient, html)
        if (typeof read === 'string') expect(read).toMatch(/more than 200 deep$/)
        else expect(read.text.length).toBe(Math.min(read.chars, MAX_CHARS))
      })
      await fc.assert(property, { numRuns: 500, seed: 17 })
    },
    LONG_MS,
  )
})

/** Takes seconds: within all limits on size and depth, and Readability walks it several times. */
const SLOW = `<html><body>${'<p>words, words</p>'.repeat(36_000)}`
const FREEZING = [
  ['of 5 KB', 1000],
  ['of 1.5 MB', 300_000],
] as const

describe('while a page is read, the process that reads it answers', () => {
  const serveHealth = async () => {
    const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = Object(server.address())
    return { server, ask: async () => (await fetch(`http://127.0.0.1:${port}/health`)).text() }
  }

  it('during a page that takes too long, which is refused at its limit', async () => {
    const { server, ask } = await serveHealth()
    const begun = Promise.withResolvers<() => void>()
    const reader = createPageReader({
      startTimer: (_, elapse) => {
        begun.resolve(elapse)
        return () => undefined
      },
    })
    const events: string[] = []
    const reading = readIn(reader, SLOW).then((read) => {
      events.push('page')
      return read
    })
    const elapse = await begun.promise
    expect(await ask()).toBe('ok')
    events.push('health')
    elapse()
    expect(await reading).toBe('the page cannot be read: reading it takes longer than 2000 ms')
    expect(events).toEqual(['health', 'page'])
    server.close()
  })

  it.each(FREEZING)('the freezing page %s is refused for its depth', async (_, depth) => {
    const { server, ask } = await serveHealth()
    const reading = readIn(patient, `<html><body>${'<div>'.repeat(depth)}text`)
    expect(await ask()).toBe('ok')
    expect(await reading).toBe(
      'the page cannot be read: the page nests its elements more than 200 deep',
    )
    server.close()
  })
})
