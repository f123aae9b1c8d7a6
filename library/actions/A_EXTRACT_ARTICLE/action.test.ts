import { describe, expect, test } from 'vitest'
import { serveLoopback } from '../../lib/testing/loopback.ts'
import { runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const PARAGRAPH =
  'The ferry has crossed the sound since 1911, and the crew still writes the log by hand. '
const BODY = `${`<p>${PARAGRAPH.repeat(4)}</p>`.repeat(4)}<ul><li>Oil</li><li>Rope</li></ul>`
const PAGE = `<!doctype html><html><head><title>The Ferry | Harbour News</title>
<meta name="author" content="Ines Vale"><meta property="article:published_time" content="2026-11-02T06:00:00+01:00"></head>
<body><nav><a href="/">Home</a><a href="/x">Subscribe now</a></nav><script>alert('no')</script>
<article><h1>The Ferry</h1>${BODY}</article><footer>Cookie settings</footer></body></html>`

const extract = (input: Record<string, unknown>, log?: (line: string) => void) =>
  runAction(manifest, action, input, { capabilities: { fetch }, ...(log ? { log } : {}) })

describe('given an address', () => {
  test('fetches the page and removes everything around the article', async () => {
    const base = await serveLoopback((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE)
    })
    const { content, ...rest } = await extract({ url: `${base}/ferry` })
    expect(content).toMatch(/^The ferry has crossed/)
    expect(content).toMatch(/- Oil\n- Rope$/)
    expect(content).not.toMatch(/Subscribe|Cookie|alert/)
    expect(rest).toMatchObject({
      byline: 'Ines Vale',
      published_at: '2026-11-02T05:00:00.000Z',
      extracted_from: 'page',
      url: `${base}/ferry`,
    })
    expect(rest.title).toMatch(/^The Ferry/)
    expect(rest.word_count).toBeGreaterThan(250)
  })

  test('follows redirects and reads old encodings', async () => {
    const base = await serveLoopback((request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new' }).end()
      else {
        response.setHeader('content-type', 'text/html')
        response.end(
          Buffer.from(
            `<html><meta charset="iso-8859-1"><body><p>Caf\xe9 r\xe9sum\xe9</p></body></html>`,
            'latin1',
          ),
        )
      }
    })
    expect(await extract({ content: ` ${base}/old ` })).toMatchObject({
      content: 'Café résumé',
      url: `${base}/new`,
    })
  })

  test('a plain text page is used unchanged', async () => {
    const base = await serveLoopback((_, response) => {
      response.setHeader('content-type', 'text/plain').end('Tags like <p> stay.\n')
    })
    expect(await extract({ url: base })).toMatchObject({ content: 'Tags like <p> stay.' })
  })

  test.each([
    [404, 'rejected_content', 'HTTP 404'],
    [429, 'rate_limited', 'HTTP 429'],
    [503, 'upstream_failed', 'HTTP 503'],
  ])('HTTP %i is %s', async (status, code, message) => {
    const base = await serveLoopback((_, response) => response.writeHead(status).end())
    await expect(extract({ url: base })).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
  })

  test('content that is not text is rejected', async () => {
    const base = await serveLoopback((_, response) => {
      response.setHeader('content-type', 'application/pdf').end('%PDF')
    })
    await expect(extract({ url: base })).rejects.toThrow('is application/pdf, not a page of text')
  })

  test.each(['file:///etc/passwd', 'javascript:alert(1)', 'not an address', '-x'])(
    'refuses %s',
    async (url) => {
      await expect(extract({ url })).rejects.toMatchObject({ code: 'invalid_input' })
    },
  )
})

describe('given a feed item', () => {
  test('a whole article in the feed is used, its address is not fetched', async () => {
    const given = {
      content: `The Ferry\n\n${BODY}`,
      title: 'The Ferry',
      url: 'https://example.invalid/ferry',
      published_at: '2026-11-01T00:00:00.000Z',
    }
    const { content, ...rest } = await extract(given)
    expect(content).toMatch(/^The ferry has crossed/)
    expect(rest).toMatchObject({
      extracted_from: 'html',
      url: given.url,
      title: 'The Ferry',
      published_at: given.published_at,
    })
  })

  test('a teaser leads to the page', async () => {
    const base = await serveLoopback((_, response) => {
      response.setHeader('content-type', 'text/html').end(PAGE)
    })
    const answer = await extract({ content: `<p>${PARAGRAPH}</p>`, url: base, title: 'Kept' })
    expect(answer).toMatchObject({ extracted_from: 'page', title: 'Kept' })
    expect(answer.word_count).toBeGreaterThan(250)
  })

  test('if the page fails, a long enough teaser is used, with a notice', async () => {
    const base = await serveLoopback((_, response) => response.writeHead(500).end())
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    expect(await extract({ content: PARAGRAPH.repeat(3), url: base }, log)).toMatchObject({
      extracted_from: 'text',
      content: PARAGRAPH.repeat(3).trim(),
    })
    expect(lines[0]).toContain('HTTP 500')
    await expect(extract({ content: 'Too short.', url: base })).rejects.toThrow('HTTP 500')
  })
})

describe('given a text', () => {
  test('a text without an address passes, even an odd one', async () => {
    expect(
      await extract({ content: 'If a < b and b > c,\r\nthen 2 > 1.', title: 'Order' }),
    ).toEqual({
      content: 'If a < b and b > c,\nthen 2 > 1.',
      title: 'Order',
      word_count: 9,
      extracted_from: 'text',
    })
  })

  test('a heading above a text is its title, unless there is one', async () => {
    expect(await extract({ content: `# The Ferry\n${PARAGRAPH}` })).toMatchObject({
      title: 'The Ferry',
      content: PARAGRAPH.trim(),
    })
    expect(await extract({ content: `# The Ferry\n${PARAGRAPH}`, title: 'Mine' })).toMatchObject({
      title: 'Mine',
      content: expect.stringContaining('# The Ferry'),
    })
  })

  test('html wins over content and url', async () => {
    expect(
      await extract({ html: '<p>One</p><pre>a  b</pre><h2>Two</h2>', content: 'x', url: 'y' }),
    ).toMatchObject({ content: 'One\n\n```\na  b\n```\n\n## Two', extracted_from: 'html' })
  })

  test('empty and unreadable input are errors', async () => {
    await expect(extract({})).rejects.toThrow('give one of "url", "html" or "content"')
    await expect(extract({ html: '<p> </p><script>x</script>' })).rejects.toThrow(
      'no readable text was found',
    )
  })

  test('too deeply nested markup is rejected with a reason', async () => {
    const deep = `${'<div>'.repeat(20_000)}bottom${'</div>'.repeat(20_000)}`
    await expect(extract({ html: deep })).rejects.toMatchObject({
      code: 'rejected_content',
      message: 'A_EXTRACT_ARTICLE: the page nests its elements more than 200 deep',
    })
  })
})
