import { StewardError } from '@steward/contract'

const EXCERPT_CHARS = 200

/** Throws the error that a page's status means for the caller. */
export const checkPageResponse = (response: Response, url: string): void => {
  if (response.ok) return
  const answered = `HTTP ${response.status} ${response.statusText}`.trim()
  if (response.status === 429) {
    throw new StewardError('rate_limited', { service: url, reason: answered })
  }
  if (response.status >= 500 || response.status === 408) {
    throw new StewardError('upstream_failed', { service: url, reason: answered })
  }
  throw new StewardError('rejected_content', { subject: url, reason: `answered ${answered}` })
}

/**
 * Throws the error that a configured service's status means: a bad key, too many calls, or a
 * failure with its message.
 */
export const checkServiceResponse = async (response: Response, service: string): Promise<void> => {
  if (response.ok) return
  if (response.status === 401) throw new StewardError('invalid_api_key', { service })
  const said = (await response.text()).trim().slice(0, EXCERPT_CHARS)
  const reason = `HTTP ${response.status}${said ? `: ${said}` : ''}`
  throw new StewardError(response.status === 429 ? 'rate_limited' : 'upstream_failed', {
    service,
    reason,
  })
}
