import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { itemFromFeed, parseFeed } from '@steward/engine'
import { fetchBody } from './fetch-body.ts'
import type { ReadSource } from './source.ts'

/** A feed in any format, from the web or from a file beside the registry. */
export const readRss: ReadSource<'rss'> = async ({ url }, { fetch, folder }) => {
  const { bytes, contentType } = /^https?:/i.test(url)
    ? await fetchBody(fetch, url, { headers: { accept: FEED_TYPES } })
    : { bytes: await readLocal(resolve(folder, url)), contentType: undefined }
  const parsed = await parseFeed(bytes, {
    url,
    ...(contentType === undefined ? {} : { contentType }),
  })
  if (!parsed.ok) throw parsed.error
  return parsed.value.items.map(itemFromFeed)
}

const FEED_TYPES =
  'application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5'

const readLocal = async (path: string): Promise<Uint8Array> => {
  const bytes = await readFile(path)
  if (bytes.length <= LIMITS.fetchBodyBytes) return bytes
  throw new StewardError('payload_too_large', {
    subject: path,
    bytes: bytes.length,
    limit: LIMITS.fetchBodyBytes,
  })
}
