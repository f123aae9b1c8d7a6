import type { IncomingMessage } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { createSearch } from './search-providers.ts'
import { callOf, serve, session } from './testing/serve.ts'
import { createWebSearch } from './web-search.ts'

const closing: Array<() => void> = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const engine = async (answer: unknown) => {
  const seen: IncomingMessage[] = []
  const site = await serve((incoming, response) => {
    seen.push(incoming)
    response.end(JSON.stringify(answer))
  })
  closing.push(site.close)
  return { seen, url: site.url }
}
const never = new AbortController().signal
const hits = [
  { url: 'https://docs.example.com/a', title: 'A', content: 'about <strong>a</strong>' },
  { url: 'https://other.test/b', title: 'B', content: 'b < c' },
  { url: 'not an address', title: 'C', content: '' },
]

describe('web_search', () => {
  it('queries SearXNG, on this machine too', async () => {
    const { seen, url } = await engine({ results: hits })
    const search = createSearch({ settings: { provider: 'searxng', url: `${url}/` } })
    const call = callOf('web_search', { query: 'what & why' })
    const { content } = await createWebSearch(search)(session, call, never)
    expect(seen[0]?.url).toBe('/search?q=what+%26+why&format=json')
    expect(content).toEqual([
      {
        type: 'search_result',
        source: 'https://docs.example.com/a',
        title: 'A',
        content: [{ type: 'text', text: 'about a' }],
        citations: { enabled: false },
      },
      expect.objectContaining({
        source: 'https://other.test/b',
        content: [{ type: 'text', text: 'b < c' }],
      }),
    ])
  })

  it('queries Brave, with its key and the country', async () => {
    const { seen, url } = await engine({
      web: { results: [{ url: 'https://a.test/', title: 'A', description: 'a' }] },
    })
    const search = createSearch({ settings: { provider: 'brave', url }, braveKey: 'key-1' })
    const call = callOf(
      'web_search',
      { query: 'q' },
      { user_location: { type: 'approximate', country: 'DE' } },
    )
    const { content } = await createWebSearch(search)(session, call, never)
    expect(seen[0]?.headers['x-subscription-token']).toBe('key-1')
    expect(seen[0]?.url).toBe('/res/v1/web/search?q=q&count=20&country=DE')
    expect(content).toMatchObject([{ source: 'https://a.test/' }])
  })

  it.each([
    [{ allowed_domains: ['example.com'] }, ['https://docs.example.com/a']],
    [{ blocked_domains: ['example.com'] }, ['https://other.test/b']],
  ])('respects its domains: %j', async (config, expected) => {
    const { url } = await engine({ results: hits })
    const search = createSearch({ settings: { provider: 'searxng', url } })
    const call = callOf('web_search', { query: 'q' }, config)
    const { content } = await createWebSearch(search)(session, call, never)
    expect(content.map((block) => ('source' in block ? block.source : ''))).toEqual(expected)
  })

  it('says how to configure it', async () => {
    const outcome = await createWebSearch(undefined)(
      session,
      callOf('web_search', { query: 'q' }),
      never,
    )
    expect(outcome).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('hosted.webSearch in settings.json') }],
    })
  })

  it('reports errors of the engine, without its key', async () => {
    const { url } = await engine('nonsense')
    const search = createSearch({ settings: { provider: 'brave', url }, braveKey: 'key-1' })
    const outcome = await createWebSearch(search)(
      session,
      callOf('web_search', { query: 'q' }),
      never,
    )
    expect(outcome.isError).toBe(true)
    expect(JSON.stringify(outcome)).toContain('not the JSON of a search')
    expect(JSON.stringify(outcome)).not.toContain('key-1')
  })

  it('reports a missing key', async () => {
    const search = createSearch({ settings: { provider: 'brave', url: 'https://api.test' } })
    const outcome = await createWebSearch(search)(
      session,
      callOf('web_search', { query: 'q' }),
      never,
    )
    expect(JSON.stringify(outcome)).toContain('BRAVE_API_KEY')
  })
})
