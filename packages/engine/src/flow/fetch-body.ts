import { type Fetch, StewardError } from '@steward/contract'

const USER_AGENT = 'Steward/5.0 (feed and item reader)'

/** The body of a successful response; any other status is an error that names it. */
export const fetchBody = async (
  fetch: Fetch,
  url: string,
  init: RequestInit & { headers: Record<string, string> },
): Promise<{ bytes: Uint8Array; contentType: string | undefined }> => {
  const response = await fetch(url, {
    ...init,
    headers: { 'user-agent': USER_AGENT, ...init.headers },
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new StewardError(response.status === 429 ? 'rate_limited' : 'upstream_failed', {
      service: url,
      reason: `status ${response.status} ${response.statusText}`.trim(),
      upstreamStatus: response.status,
    })
  }
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    contentType: response.headers.get('content-type') ?? undefined,
  }
}
