import { type Fetch, StewardError } from '@steward/contract'
import { type DomainConfig, refusalOfDomain } from './domain-rules.ts'

const REDIRECTS = 5

/** Follows redirects itself, because every host on the way must be allowed. */
export const fetchWithin = async (
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
