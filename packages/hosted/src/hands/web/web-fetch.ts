import { type Fetch, type HostedContent, reasonOf, StewardError } from '@steward/contract'
import { createGuardedFetch } from '@steward/platform'
import { z } from 'zod'
import type { OutsideTool } from '../surroundings.ts'
import { refuse } from '../tools/tool.ts'
import { type DomainConfig, domainConfig, refusalOfDomain } from './domain-rules.ts'
import { createPageReader, type PageReader } from './page-reader.ts'
import type { PageText } from './read-page.ts'

const input = z.object({ url: z.string().min(1).max(8192) })
const config = domainConfig.extend({ max_content_tokens: z.number().int().positive().nullish() })

const BODY_BYTES = 8 * 1024 * 1024
const TEXT_CHARS = 100_000
/** For English text; other scripts have fewer, so the text is cut late rather than early. */
const CHARS_PER_TOKEN = 4
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/**
 * Fetches a page from the server: the tool's own domains apply, not the environment's networking.
 * Private addresses are refused.
 */
export const createWebFetch =
  (
    fetch: Fetch = createGuardedFetch({ limits: { bodyBytes: BODY_BYTES } }),
    pages: PageReader = createPageReader(),
  ): OutsideTool =>
  async (_, call, signal) => {
    const asked = input.safeParse(call.input)
    if (!asked.success) return refuse(z.prettifyError(asked.error))
    const settings = config.safeParse(call.config)
    if (!settings.success) return refuse(z.prettifyError(settings.error))
    const { max_content_tokens: maxTokens } = settings.data
    const maxChars = Math.min(TEXT_CHARS, (maxTokens ?? Infinity) * CHARS_PER_TOKEN)
    try {
      const { response, url } = await fetchWithin(asked.data.url, settings.data, fetch, signal)
      if (!response.ok) return refuse(`${url} answered ${response.status} ${response.statusText}`)
      const content = await readContent(response, url, maxChars, pages, signal)
      return { content, isError: false }
    } catch (thrown) {
      signal.throwIfAborted()
      return refuse(`${asked.data.url} could not be fetched: ${reasonOf(thrown)}`)
    }
  }

const readContent = async (
  response: Response,
  url: string,
  maxChars: number,
  pages: PageReader,
  signal: AbortSignal,
): Promise<HostedContent[]> => {
  const type = (response.headers.get('content-type') ?? 'text/plain').split(';')[0] ?? ''
  const media = type.trim().toLowerCase()
  if (PICTURES.has(media)) {
    const source = { type: 'base64' as const, media_type: media, data: await readBase64(response) }
    return [{ type: 'image', source }]
  }
  if (media === 'application/pdf') {
    const source = { type: 'base64' as const, media_type: media, data: await readBase64(response) }
    return [{ type: 'document', source, title: url }]
  }
  if (/html/.test(media)) {
    const html = await readText(response)
    return [show(await pages.read({ html, address: url, maxChars }, signal))]
  }
  if (/^text\/|json|xml|javascript|yaml|toml|csv/.test(media)) {
    const text = await readText(response)
    return [show({ text: text.slice(0, maxChars), chars: text.length })]
  }
  throw new Error(`its content is ${media}, which is neither text, image nor PDF`)
}

const readBase64 = async (response: Response): Promise<string> =>
  Buffer.from(await response.arrayBuffer()).toString('base64')

/** Decodes with the response's charset as browsers do; falls back to UTF-8. */
const readText = async (response: Response): Promise<string> => {
  const [, charset = 'utf-8'] =
    /charset="?([\w-]+)/i.exec(response.headers.get('content-type') ?? '') ?? []
  const bytes = await response.arrayBuffer()
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const show = ({ text, chars }: PageText): HostedContent => {
  if (chars === text.length) return { type: 'text', text }
  const note = `[cut here: ${text.length} of ${chars} characters are shown]`
  return { type: 'text', text: `${text}\n\n${note}` }
}

const REDIRECTS = 5

/** Follows redirects itself, because every host on the way must be allowed. */
const fetchWithin = async (
  address: string,
  config: DomainConfig,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<{ response: Response; url: string }> => {
  let url = parse(address)
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    const reason = refusalOfDomain(url.hostname, config)
    if (reason !== undefined) throw new StewardError('address_refused', { host: url.host, reason })
    const response = await fetch(url.href, {
      signal,
      redirect: 'manual',
      headers: { accept: 'text/html, text/plain, application/json, */*;q=0.8' },
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) {
      return { response, url: url.href }
    }
    url = parse(location, url.href)
  }
  throw new StewardError('upstream_failed', {
    service: url.host,
    reason: `it redirects more than ${REDIRECTS} times`,
  })
}

const parse = (address: string, base?: string): URL => {
  const url = URL.parse(address, base)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  const reason = 'it is not an http or https address'
  throw new StewardError('invalid_input', { subject: address.slice(0, 200), reason })
}
