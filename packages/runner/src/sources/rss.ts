import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { readFeed, readFeedItems } from '@steward/engine'
import { readFeedBody } from '../feed-reader/feed-reader.ts'
import type { ReadSource } from './source.ts'

/** A feed in any format, from the web or from a file beside the registry. */
export const readRss: ReadSource<'rss'> = async (source, ports) => {
  const { url } = source
  return /^https?:/i.test(url)
    ? readFeed(source, ports, readFeedBody)
    : readFeedItems(await readLocal(resolve(ports.folder, url)), { url }, readFeedBody)
}

const readLocal = async (path: string): Promise<Uint8Array> => {
  const bytes = await readFile(path)
  if (bytes.length <= LIMITS.fetchBodyBytes) return bytes
  throw new StewardError('payload_too_large', {
    subject: path,
    bytes: bytes.length,
    limit: LIMITS.fetchBodyBytes,
  })
}
