import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FeedFailureError } from './feed-failure.ts'
import { followRedirects } from './follow-redirects.ts'
import { createHostGate } from './host-gate.ts'

const HOSTS = ['https://a.test', 'https://b.test', 'http://a.test'] as const
const hop = fc.record({
  status: fc.constantFrom(301, 302, 303, 307, 308),
  host: fc.constantFrom(...HOSTS),
})

it('remembers a target only if every hop was permanent, and sends its own headers only to its own origin', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hop, { maxLength: 8 }), async (hops) => {
      const places = ['https://a.test/0', ...hops.map(({ host }, index) => `${host}/${index + 1}`)]
      const asked: { url: string; key: string | null }[] = []
      const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
        const url = String(input)
        asked.push({ url, key: new Headers(init?.headers).get('x-key') })
        expect(init?.redirect).toBe('manual')
        const at = places.indexOf(url)
        const next = hops[at]
        if (next === undefined) return new Response('end')
        return new Response(null, {
          status: next.status,
          headers: { location: places[at + 1] ?? '' },
        })
      }
      const followed = followRedirects(
        new URL('https://a.test/0'),
        { plain: { accept: 'x' }, own: { 'x-key': 'secret' } },
        { fetch, gate: createHostGate(), timeoutMs: 60_000, signal: undefined },
      )
      if (hops.length > LIMITS.fetchRedirects) {
        await expect(followed).rejects.toBeInstanceOf(FeedFailureError)
        expect(asked).toHaveLength(LIMITS.fetchRedirects + 1)
      } else {
        const isPermanent =
          hops.length > 0 && hops.every(({ status }) => status === 301 || status === 308)
        const { permanentUrl, url } = await followed
        expect(url.href).toBe(places.at(-1))
        expect(permanentUrl).toBe(isPermanent ? places.at(-1) : null)
      }
      for (const { url, key } of asked) {
        expect(key).toBe(new URL(url).origin === 'https://a.test' ? 'secret' : null)
      }
    }),
  )
})
