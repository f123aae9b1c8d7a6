import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { LIMITS, StewardError } from '@steward/contract'
import {
  type FlowItem,
  formatOfDocument,
  itemsOfDocument,
  readFeedItems,
  type SourceOf,
} from '@steward/engine'
import { readFeedBody } from '../feed-reader/feed-reader.ts'
import type { ReadSource } from './source.ts'

/** A file, or every file of a folder in name order. */
export const readFiles: ReadSource<'file'> = async ({ path, format }, { folder }) => {
  const whole = resolve(folder, path)
  const found = await stat(whole).catch((cause: unknown) => {
    throw new StewardError(
      'upstream_failed',
      { service: whole, reason: 'there is no such file or folder' },
      cause,
    )
  })
  if (!found.isDirectory()) return readOne(whole, format)
  const names = (await readdir(whole, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => entry.name)
    .toSorted()
  const items: FlowItem[] = []
  for (const name of names) items.push(...(await readOne(join(whole, name), format)))
  return items
}

const readOne = async (path: string, format: SourceOf<'file'>['format']): Promise<FlowItem[]> => {
  const { size } = await stat(path)
  if (size > LIMITS.fetchBodyBytes) {
    throw new StewardError('payload_too_large', {
      subject: path,
      bytes: size,
      limit: LIMITS.fetchBodyBytes,
    })
  }
  const bytes = await readFile(path)
  return formatOfDocument(path, format) === 'feed'
    ? readFeedItems(bytes, {}, readFeedBody)
    : itemsOfDocument(path, bytes, format)
}
