import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, resolve } from 'node:path'
import { LIMITS, parseJson, StewardError } from '@steward/contract'
import { type FlowItem, itemFromFeed, parseFeed } from '@steward/engine'
import { itemsFromJson } from './json-items.ts'
import type { ReadSource, SourceOf } from './source.ts'

type Format = NonNullable<SourceOf<'file'>['format']>

const FORMATS: Record<string, Format> = {
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.xml': 'feed',
  '.rss': 'feed',
  '.atom': 'feed',
}

/** A file, or every file of a folder in name order. A text file is one item, and a new one when it is edited. */
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

const readOne = async (path: string, format: Format | undefined): Promise<FlowItem[]> => {
  const { size } = await stat(path)
  if (size > LIMITS.fetchBodyBytes) {
    throw new StewardError('payload_too_large', {
      subject: path,
      bytes: size,
      limit: LIMITS.fetchBodyBytes,
    })
  }
  const bytes = await readFile(path)
  switch (format ?? FORMATS[extname(path).toLowerCase()] ?? 'text') {
    case 'feed': {
      const parsed = await parseFeed(bytes)
      if (!parsed.ok) throw parsed.error
      return parsed.value.items.map(itemFromFeed)
    }
    case 'json':
      return fromJson(bytes.toString('utf8'), path)
    case 'jsonl':
      return bytes
        .toString('utf8')
        .split('\n')
        .flatMap((line, index) =>
          line.trim() === '' ? [] : fromJson(line, `${path} line ${index + 1}`),
        )
    case 'text':
      return [textItem(path, bytes)]
  }
}

const fromJson = (text: string, subject: string): FlowItem[] => {
  const json = parseJson(text, subject)
  if (!json.ok) throw json.error
  return itemsFromJson(json.value, { items: '$', id: '$.id' }, subject)
}

const textItem = (path: string, bytes: Buffer): FlowItem => {
  const title = basename(path, extname(path)).replace(/[-_]+/g, ' ')
  const hash = createHash('sha256').update(bytes).digest('hex')
  return {
    id: `${basename(path)}:${hash}`,
    title,
    payload: { title, content: bytes.toString('utf8') },
  }
}
