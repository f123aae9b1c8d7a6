import { LIMITS, parseJson, unwrap } from '@steward/contract'
import { sha256Hex } from '../feed-format/sha256.ts'
import type { FlowItem } from './item.ts'
import { itemsFromJson } from './json-items.ts'
import { itemsOfFeed } from './read-feed.ts'
import type { SourceOf } from './source.ts'

type Format = NonNullable<SourceOf<'file'>['format']>

const FORMATS: Record<string, Format> = {
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.xml': 'feed',
  '.rss': 'feed',
  '.atom': 'feed',
}

export const formatOfDocument = (path: string, format?: Format): Format =>
  format ?? FORMATS[endingOf(path).toLowerCase()] ?? 'text'

/**
 * The items of one file of a file source, by `format` or by its extension. A text file is one item,
 * and a new one when it is edited.
 */
export const itemsOfDocument = (
  path: string,
  body: Uint8Array | string,
  format?: Format,
): FlowItem[] => {
  const text = () => (typeof body === 'string' ? body : new TextDecoder().decode(body))
  switch (formatOfDocument(path, format)) {
    case 'feed':
      return itemsOfFeed(body)
    case 'json':
      return fromJson(text(), path)
    case 'jsonl':
      return text()
        .split('\n')
        .flatMap((line, index) =>
          line.trim() === '' ? [] : fromJson(line, `${path} line ${index + 1}`),
        )
    case 'lines':
      return itemsOfLines(text())
    case 'text':
      return [textItem(path, text())]
  }
}

const TITLE_CHARS = 120

/** One item for each line that is not empty; equal lines are one item. */
export const itemsOfLines = (text: string): FlowItem[] =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .map((line) => {
      const title = line.trim().slice(0, TITLE_CHARS)
      return { id: sha256Hex(line), title, payload: { content: line, title } }
    })

const fromJson = (text: string, subject: string): FlowItem[] => {
  const json = unwrap(parseJson(text, subject, LIMITS.jsonDepth))
  return itemsFromJson(json, { items: '$', id: '$.id' }, subject)
}

const textItem = (path: string, content: string): FlowItem => {
  const name = nameOf(path)
  const title = name.slice(0, name.length - endingOf(path).length).replace(/[-_]+/g, ' ')
  return { id: `${name}:${sha256Hex(content)}`, title, payload: { title, content } }
}

const nameOf = (path: string): string => path.split(/[/\\]/).at(-1) ?? path

/** `.txt` of `a/b.txt`; empty for `.profile`, whose dot begins the name. */
const endingOf = (path: string): string => /[^.](\.[^.]*)$/.exec(nameOf(path))?.[1] ?? ''
