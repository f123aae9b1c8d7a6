type Parsed = { ok: true; url: URL } | { ok: false; reason: string }

/** An http(s) address without credentials, or why it is invalid. */
export const parseBaseUrl = (value: string): Parsed => {
  if (!URL.canParse(value)) {
    return { ok: false, reason: 'not an address, for example http://127.0.0.1:8080/v1' }
  }
  const url = new URL(value)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, reason: `${url.protocol}// is not http:// or https://` }
  }
  if (url.username !== '' || url.password !== '') {
    return { ok: false, reason: 'an address with a password in it; put the key into LLM_API_KEY' }
  }
  return { ok: true, url }
}

const VERSIONED = /\/v\d+[a-z0-9]*$/

/**
 * The base of Anthropic's `/messages`. Their own tools omit `/v1` from the base, so it is added
 * unless the path already ends with a version.
 */
export const anthropicBase = (value: string): string => {
  const base = withoutEndpoint(value, /\/messages$/)
  return VERSIONED.test(base) ? base : `${base}/v1`
}

/**
 * The base of `/chat/completions`. Their own tools include `/v1` in the base, so an existing path
 * is kept and only a bare host gets `/v1`.
 */
export const openaiBase = (value: string): string => {
  const base = withoutEndpoint(value, /\/chat\/completions$/)
  return new URL(base).pathname === '/' ? `${base}/v1` : base
}

/** Ollama's root, the base of `/api` and `/v1`. */
export const ollamaRoot = (value: string): string =>
  withoutEndpoint(value, /\/(v1(\/chat\/completions)?|api(\/\w+)?)$/)

const withoutEndpoint = (value: string, endpoint: RegExp): string => {
  const url = new URL(value)
  const path = url.pathname.replace(/\/+$/, '').replace(endpoint, '').replace(/\/+$/, '')
  return `${url.origin}${path}`
}
