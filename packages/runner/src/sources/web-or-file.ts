import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import { isWebAddress, readFeed, readFeedItems, readPage, readPageFrom } from '@steward/engine'
import { readFeedBody } from '../feed-reader/feed-reader.ts'
import type { ReadSource } from './source.ts'

/** A feed in any format, from the web or from a file beside the registry. */
export const readRss: ReadSource<'rss'> = async (source, ports) => {
  const { url } = source
  return isWebAddress(url)
    ? readFeed(source, ports, readFeedBody)
    : readFeedItems(await readLocal(resolve(ports.folder, url)), { url }, readFeedBody)
}

/** A page from the web or from a file beside the registry. */
export const readAnyPage: ReadSource<'page'> = async (source, ports) =>
  isWebAddress(source.url)
    ? readPage(source, ports)
    : readPageFrom(source, await readLocal(resolve(ports.folder, source.url)), ports)

const readLocal = async (path: string): Promise<Uint8Array> => {
  const bytes = await readFile(path)
  if (bytes.length <= LIMITS.fetchBodyBytes) return bytes
  throw new StewardError('payload_too_large', {
    subject: path,
    bytes: bytes.length,
    limit: LIMITS.fetchBodyBytes,
  })
}
