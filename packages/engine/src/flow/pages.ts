import { isJsonObject, StewardError } from '@steward/contract'
import { selectPath } from '../json-path/select-path.ts'
import type { SourceOf } from './source.ts'

type ApiSource = SourceOf<'api'>

/** The position of the first page. Others are an address, a cursor or a number, by pagination. */
export const FIRST_PAGE = ''

/** The request of a page. */
export const requestOf = (
  { url, method, body, pagination }: ApiSource,
  position: string,
): { url: string; method: string; body?: string } => {
  const plain = (at: string, json: unknown = body) => ({
    url: at,
    method,
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  if (pagination === undefined) return plain(url)
  if (pagination.by === 'page') {
    return plain(withParameter(url, pagination.parameter, position || String(pagination.first)))
  }
  if (position === FIRST_PAGE) return plain(url)
  if (isAddress(position)) return plain(position)
  if (pagination.by === 'link') return plain(url)
  if (method !== 'POST') return plain(withParameter(url, pagination.parameter, position))
  return plain(url, { ...(isJsonObject(body) ? body : {}), [pagination.parameter]: position })
}

/** The position of the page after this one; undefined if the answer names none. */
export const nextOf = (
  source: ApiSource,
  position: string,
  answer: { json: unknown; headers: Headers; url: string },
): string | undefined => {
  const { pagination } = source
  switch (pagination?.by) {
    case undefined:
      return undefined
    case 'page':
      return String(Number(position || pagination.first) + pagination.step)
    case 'link': {
      const target = nextLink(answer.headers.get('link') ?? '')
      return target === undefined ? undefined : sameOrigin(source, new URL(target, answer.url))
    }
    case 'cursor': {
      const found = selectPath(answer.json, pagination.next)
      const value = found.ok ? found.value : undefined
      if (typeof value === 'number') return String(value)
      if (typeof value !== 'string' || value === '') return undefined
      return isAddress(value) ? sameOrigin(source, new URL(value)) : value
    }
  }
}

/** The target of `rel=next` in a `Link` header. */
export const nextLink = (header: string): string | undefined => {
  for (const [, target, parameters = ''] of header.matchAll(/<([^>]*)>([^<]*)/g)) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters)
    const relations = (rel?.[1] ?? rel?.[2] ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('next')) return target
  }
  return undefined
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

const withParameter = (url: string, name: string, value: string): string => {
  const whole = new URL(url)
  whole.searchParams.set(name, value)
  return whole.href
}

/** The headers of the source may hold its key, which no other server may get. */
const sameOrigin = ({ url }: ApiSource, next: URL): string => {
  const own = new URL(url)
  const isSafer = next.host === own.host && next.protocol === 'https:'
  if (next.origin === own.origin || isSafer) return next.href
  const reason = `its next page is on another server, ${next.origin}`
  throw new StewardError('upstream_failed', { service: url, reason })
}
