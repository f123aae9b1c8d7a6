import { type Fetch, type HostedSettings, StewardError } from '@steward/contract'
import { createGuardedFetch } from '@steward/platform'
import { z } from 'zod'

interface SearchQuery {
  text: string
  /** A two-letter code. */
  country?: string
}

interface SearchHit {
  url: string
  title: string
  text: string
}

export type Search = (query: SearchQuery, signal: AbortSignal) => Promise<SearchHit[]>

export interface SearchOptions {
  settings: NonNullable<HostedSettings['webSearch']>
  braveKey?: string | undefined
  fetch?: Fetch
}

const hitText = z.string().nullish()
const searxng = z.object({
  results: z.array(z.object({ url: z.string(), title: hitText, content: hitText })),
})
const brave = z.object({
  web: z
    .object({
      results: z.array(z.object({ url: z.string(), title: hitText, description: hitText })),
    })
    .nullish(),
})

/**
 * The configured search engine. It may be the operator's own, on this machine or in a private
 * network.
 */
export const createSearch = ({ settings, braveKey, fetch }: SearchOptions): Search => {
  const { host, hostname } = new URL(settings.url)
  const ask = fetch ?? createGuardedFetch({ allowPrivateHosts: [host, hostname] })
  if (settings.provider === 'searxng') {
    return async ({ text }, signal) => {
      const url = new URL(`${settings.url.replace(/\/$/, '')}/search`)
      url.search = new URLSearchParams({ q: text, format: 'json' }).toString()
      const { results } = await readJson(await ask(url.href, { signal }), searxng, host)
      return results.map((hit) => toHit(hit.url, hit.title, hit.content))
    }
  }
  return async ({ text, country }, signal) => {
    if (braveKey === undefined || braveKey === '') {
      throw new StewardError('invalid_input', {
        subject: 'web_search',
        reason: 'BRAVE_API_KEY is not set',
      })
    }
    const url = new URL(`${settings.url.replace(/\/$/, '')}/res/v1/web/search`)
    url.search = new URLSearchParams({
      q: text,
      count: '20',
      ...(country === undefined ? {} : { country }),
    }).toString()
    const headers = { accept: 'application/json', 'x-subscription-token': braveKey }
    const { web } = await readJson(await ask(url.href, { signal, headers }), brave, host)
    return (web?.results ?? []).map((hit) => toHit(hit.url, hit.title, hit.description))
  }
}

const readJson = async <Schema extends z.ZodType>(
  response: Response,
  schema: Schema,
  service: string,
): Promise<z.infer<Schema>> => {
  const fail = (reason: string) => new StewardError('upstream_failed', { service, reason })
  if (!response.ok) throw fail(`it answered ${response.status}`)
  const parsed = schema.safeParse(await response.json().catch(() => undefined))
  if (!parsed.success) throw fail('its answer is not the JSON of a search')
  return parsed.data
}

/** Engines return results with HTML markup. */
const toHit = (url: string, title?: string | null, text?: string | null): SearchHit => ({
  url,
  title: withoutTags(title ?? url),
  text: withoutTags(text ?? ''),
})

const withoutTags = (text: string): string => text.replace(/<\/?[a-z][^>]*>/gi, '')
