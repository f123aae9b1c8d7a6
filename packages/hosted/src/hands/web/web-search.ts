import { reasonOf } from '@steward/contract'
import { z } from 'zod'
import type { OutsideTool } from '../surroundings.ts'
import { refuse, succeed } from '../tools/tool.ts'
import { domainConfig, refusalOfDomain } from './domain-rules.ts'
import type { Search } from './search-providers.ts'

const input = z.object({ query: z.string().min(1).max(2000) })
const config = domainConfig.extend({
  user_location: z.looseObject({ country: z.string().length(2).nullish() }).nullish(),
})

const RESULTS = 10
const NOT_SET_UP =
  'web_search is not configured on this server. Its operator can set hosted.webSearch in settings.json: {"provider": "searxng", "url": "http://127.0.0.1:8888"} for a SearXNG with JSON output, or {"provider": "brave"} with the key in BRAVE_API_KEY.'

/**
 * Searches the web from the server; without a configured search engine it says how to configure
 * one.
 */
export const createWebSearch =
  (search: Search | undefined): OutsideTool =>
  async (_, call, signal) => {
    if (search === undefined) return refuse(NOT_SET_UP)
    const asked = input.safeParse(call.input)
    if (!asked.success) return refuse(z.prettifyError(asked.error))
    const settings = config.safeParse(call.config)
    if (!settings.success) return refuse(z.prettifyError(settings.error))
    const country = settings.data.user_location?.country ?? undefined
    try {
      const query = { text: asked.data.query, ...(country === undefined ? {} : { country }) }
      const found = (await search(query, signal)).filter(({ url }) => {
        const host = URL.parse(url)?.hostname
        return host !== undefined && refusalOfDomain(host, settings.data) === undefined
      })
      if (found.length === 0) return succeed('no results')
      return {
        isError: false,
        content: found.slice(0, RESULTS).map(({ url, title, text }) => ({
          type: 'search_result',
          source: url,
          title,
          content: [{ type: 'text', text }],
          citations: { enabled: false },
        })),
      }
    } catch (thrown) {
      signal.throwIfAborted()
      return refuse(`the search failed: ${reasonOf(thrown)}`)
    }
  }
