import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type ParsedFeed, reasonOf, StewardError, unwrap } from '@steward/contract'
import { parseFeed } from '@steward/engine'
import { isMissing } from '@steward/platform'
import { tooLarge } from '../../input/collect-text.ts'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { unpackBody } from './unpack.ts'

interface Body {
  bytes: Uint8Array
  contentType?: string
}

/** A feed from a file or an address, parsed like in the poller. */
export const readFeed = async (io: Io, source: string): Promise<ParsedFeed> => {
  const { bytes, contentType } = /^https?:\/\//i.test(source)
    ? await fetchFeed(io, source)
    : await readFile(resolve(io.cwd, source), source)
  const hints = { url: source, ...(contentType === undefined ? {} : { contentType }) }
  const parsed = unwrap(parseFeed(await unpackBody(bytes, source), hints))
  return parsed
}

/** More than a fetched body may have, because the person chose the file. */
const FILE_BYTES = 512 * 1024 * 1024

const readFile = async (path: string, subject: string): Promise<Body> => {
  try {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      if (size > FILE_BYTES) throw tooLarge(subject, size, FILE_BYTES)
      return { bytes: await file.readFile() }
    } finally {
      await file.close()
    }
  } catch (thrown) {
    if (thrown instanceof StewardError) throw thrown
    const reason = isMissing(thrown) ? 'there is no such file' : reasonOf(thrown)
    throw new StewardError('invalid_input', { subject, reason }, thrown)
  }
}

const fetchFeed = (io: Io, url: string): Promise<Body> =>
  withLocalRuntime(io, async ({ fetch }) => {
    const response = await fetch(url, { signal: io.signal })
    if (!response.ok) {
      const reason = `status ${response.status} ${response.statusText}`.trim()
      throw new StewardError('upstream_failed', { service: url, reason })
    }
    const contentType = response.headers.get('content-type')
    return {
      bytes: new Uint8Array(await response.arrayBuffer()),
      ...(contentType === null ? {} : { contentType }),
    }
  })
