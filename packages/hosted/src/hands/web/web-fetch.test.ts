import type { RequestListener } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createPageReader } from './page-reader.ts'
import { callOf, serve, session } from './testing/serve.ts'
import { createWebFetch } from './web-fetch.ts'

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})
/** A real one, with a limit that a busy machine does not reach. */
const pages = createPageReader({ limitMs: 60_000 })
const WARM_UP_MS = 120_000
beforeAll(async () => {
  await pages.read({ html: '', address: 'https://a.test/', maxChars: 1 })
}, WARM_UP_MS)
afterAll(pages.close)

const ask = async (
  answer: RequestListener,
  path = '/',
  config: Record<string, unknown> = {},
  reader = pages,
): Promise<{ isError: boolean; content: unknown; text: string }> => {
  const site = await serve(answer)
  closing.push(site.close)
  const url = path.startsWith('/') ? site.url + path : path
  const call = callOf('web_fetch', { url }, config)
  const fetchPage = createWebFetch(site.fetch, reader)
  const outcome = await fetchPage(session, call, new AbortController().signal)
  const [first] = outcome.content
  return { ...outcome, text: first?.type === 'text' ? first.text : '' }
}

const page =
  (html: string): RequestListener =>
  (_, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(html)
  }

const paragraph = 'Sandboxes keep what runs in them apart from everything else on the machine. '
const ARTICLE = `<!doctype html><html><head><title>On sandboxes</title><script>evil()</script></head><body>
<nav><a href="/">Home</a></nav><article><h1>On sandboxes</h1><p>${paragraph.repeat(8)}</p>
<h2>Next</h2><ul><li>one</li><li>two</li></ul><p>See <a href="/more?x=1">more</a>. ${paragraph.repeat(5)}</p>
<pre>const a = 1</pre></article></body></html>`

describe('web_fetch', () => {
  it('reads a page as text, with headings, lists, code and links', async () => {
    const { text, isError } = await ask(page(ARTICLE))
    expect(isError).toBe(false)
    expect(text).toMatch(/^# On sandboxes\n/)
    expect(text).toContain('## Next')
    expect(text).toContain('- one')
    expect(text).toMatch(/See \[more\]\(http:\/\/127\.0\.0\.1:\d+\/more\?x=1\)/)
    expect(text).toContain('```\nconst a = 1\n```')
    expect(text).not.toContain('evil')
  })

  it('reads a page without an article as a whole', async () => {
    const { text } = await ask(page('<title>T</title><p>short<p>lines'))
    expect(text).toContain('short')
    expect(text).toContain('lines')
  })

  it('refuses a page that would take minutes to parse, and says why', async () => {
    const { text, isError } = await ask(page(`<html><body>${'<div>'.repeat(300_000)}text`))
    expect(isError).toBe(true)
    expect(text).toContain('the page nests its elements more than 200 deep')
  })

  it('leaves the thread that answers requests free while a page is read', async () => {
    const html = `<html><body>${'<p><a href=x>words, words</a></p>'.repeat(15_500)}`
    let turns = 0
    let isOver = false
    const takeTurns = (): void => {
      turns++
      if (!isOver) setImmediate(takeTurns)
    }
    setImmediate(takeTurns)
    const { chars } = await pages.read({ html, address: 'https://a.test/', maxChars: 10 })
    isOver = true
    expect(chars).toBeGreaterThan(100_000)
    // A read in this thread would leave room for two or three.
    expect(turns).toBeGreaterThan(100)
  })

  it.each([
    ['of 5 KB', '<div>'.repeat(1000)],
    ['of 1.5 MB', '<div>'.repeat(300_000)],
    ['of signs that begin no tag', '< '.repeat(900_000)],
    ['that is the slowest within the limits', '<p><a href=x>w, w</a></p>'.repeat(16_600)],
  ])('keeps no request waiting for a page %s', async (_, html) => {
    const usedMs = (): number => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    }
    let longest = 0
    let last = usedMs()
    let isOver = false
    const look = (): void => {
      const now = usedMs()
      longest = Math.max(longest, now - last)
      last = now
      if (!isOver) setImmediate(look)
    }
    setImmediate(look)
    await ask(page(`<html><body>${html}`))
    isOver = true
    // Handing the page to its thread takes a few milliseconds of this one; reading it takes a second.
    expect(longest).toBeLessThan(150)
  })

  it('reads all of a page in which finding the article would take too long', async () => {
    const chain = `${'<div>'.repeat(150)}text${'</div>'.repeat(150)}`
    const { text } = await ask(page(`<html><title>T</title><body>${chain.repeat(50)}`))
    expect(text).toBe(`# T\n\n${Array(50).fill('text').join('\n\n')}`)
  })

  it('reads a page of text without any element', async () => {
    expect(await ask(page('Tom &amp; Jerry'))).toMatchObject({
      isError: false,
      text: 'Tom & Jerry',
    })
  })

  it('reads as many character references as allowed', async () => {
    const { text } = await ask(page('&amp;'.repeat(80_000)))
    expect(text).toBe('&'.repeat(80_000))
  })

  it('refuses a page that takes longer to read than its limit, and says so', async () => {
    const impatient = createPageReader({
      startTimer: (_, elapse) => {
        const timer = setImmediate(elapse)
        return () => clearImmediate(timer)
      },
    })
    closing.push(impatient.close)
    const slow = page(`<html><body>${'<p>words, words</p>'.repeat(36_000)}`)
    const { text, isError } = await ask(slow, '/', {}, impatient)
    expect(isError).toBe(true)
    expect(text).toContain('the page cannot be read: reading it takes longer than 2000 ms')
  })

  it('cuts the text of a page at max_content_tokens, and says so', async () => {
    const { text } = await ask(page(`<p>${'x'.repeat(1000)}`), '/', { max_content_tokens: 10 })
    expect(text).toBe(`${'x'.repeat(40)}\n\n[cut here: 40 of 1000 characters are shown]`)
  })

  it('cuts at max_content_tokens, and says so', async () => {
    const { text } = await ask((_, response) => response.end('x'.repeat(1000)), '/', {
      max_content_tokens: 10,
    })
    expect(text).toBe(`${'x'.repeat(40)}\n\n[cut here: 40 of 1000 characters are shown]`)
  })

  it('returns images and PDFs in their format', async () => {
    const { content } = await ask((incoming, response) => {
      response.setHeader('content-type', incoming.url === '/p' ? 'image/png' : 'application/pdf')
      response.end('bytes')
    }, '/p')
    expect(content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'Ynl0ZXM=' } },
    ])
  })

  it('decodes with the charset of the response', async () => {
    const { text } = await ask((_, response) => {
      response.setHeader('content-type', 'text/plain; charset=iso-8859-1')
      response.end(Buffer.from([0x63, 0x61, 0x66, 0xe9]))
    })
    expect(text).toBe('café')
  })

  it('reports an unsuccessful status', async () => {
    const { isError, text } = await ask((_, response) => response.writeHead(404).end())
    expect([isError, text]).toEqual([true, expect.stringContaining('answered 404')])
  })

  it('refuses anything but text, images and PDFs', async () => {
    const { isError, text } = await ask((_, response) => {
      response.setHeader('content-type', 'application/zip')
      response.end('PK')
    })
    expect([isError, text]).toEqual([true, expect.stringContaining('application/zip')])
  })

  it.each(['http://169.254.169.254/', 'http://localhost:8080/', 'file:///etc/passwd', 'nonsense'])(
    'refuses %s',
    async (url) => {
      const { isError, text } = await ask((_, response) => response.end(), url)
      expect(isError).toBe(true)
      expect(text).toMatch(/refused to connect|not an http/)
    },
  )

  it.each([
    [{ allowed_domains: ['example.com'] }, 'not among the allowed'],
    [{ blocked_domains: ['127.0.0.1'] }, 'among the blocked'],
  ])('respects its domains: %j', async (config, expected) => {
    const { isError, text } = await ask((_, response) => response.end('x'), '/', config)
    expect([isError, text]).toEqual([true, expect.stringContaining(expected)])
  })

  it('respects its domains after a redirect too', async () => {
    const { isError, text } = await ask(
      (_, response) => response.writeHead(302, { location: 'https://evil.test/x' }).end(),
      '/',
      { allowed_domains: ['127.0.0.1'] },
    )
    expect([isError, text]).toEqual([true, expect.stringContaining('evil.test is not among')])
  })

  it('limits redirects', async () => {
    const { text } = await ask((_, response) => response.writeHead(302, { location: '/' }).end())
    expect(text).toContain('redirects more than 5 times')
  })

  it('reports invalid input', async () => {
    const call = callOf('web_fetch', { address: 'x' })
    const outcome = await createWebFetch()(session, call, new AbortController().signal)
    expect(outcome.isError).toBe(true)
  })
})
