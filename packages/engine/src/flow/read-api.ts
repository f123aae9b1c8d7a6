import { LIMITS, parseJson, unwrap } from '@steward/contract'
import { expandHeaders } from './expand-headers.ts'
import { fetchBody } from './fetch-body.ts'
import { itemsFromJson } from './json-items.ts'
import type { ReadWebSource } from './source.ts'

/** A JSON endpoint: a JSON path selects the items. */
export const readApi: ReadWebSource<'api'> = async (source, { fetch, secret }) => {
  const { url, method, headers = {}, body } = source
  const { bytes } = await fetchBody(fetch, url, {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...expandHeaders(headers, secret),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const json = unwrap(
    parseJson(new TextDecoder().decode(bytes), `the answer of ${url}`, LIMITS.jsonDepth),
  )
  return itemsFromJson(json, source, url)
}
