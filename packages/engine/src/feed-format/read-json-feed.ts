import { isJsonObject } from '@steward/contract'
import { joinNames } from './authors.ts'
import { parseDate } from './dates.ts'
import {
  type DraftEnclosure,
  type DraftFeed,
  type DraftItem,
  parseLength,
  uniqueLabels,
} from './draft.ts'
import { mergeEnclosures } from './enclosures.ts'
import type { RawLink } from './links.ts'
import { parseLooseJson } from './loose-json.ts'
import type { RawBody } from './raw-body.ts'
import { toPlainLine } from './text.ts'

/** A JSON Feed 1.0 or 1.1; null for other JSON or invalid JSON. */
export const readJsonFeed = (source: string): DraftFeed | null => {
  const feed = parseLooseJson(source)
  if (!isJsonObject(feed)) return null
  const isDeclared = typeof feed.version === 'string' && feed.version.includes('jsonfeed')
  const isNamed = [feed.home_page_url, feed.feed_url].some((url) => typeof url === 'string')
  if (!isDeclared && !isNamed && !Array.isArray(feed.items)) return null
  return {
    title: toLine(feed.title),
    link: toLink(feed.home_page_url),
    self: toLink(feed.feed_url),
    author: readNames(feed),
    items: toList(feed.items).flatMap(readItem),
  }
}

const readItem = (item: unknown): DraftItem[] => {
  if (!isJsonObject(item) || Object.keys(item).length === 0) return []
  const summary = toBody(item.summary, false)
  const draft: DraftItem = {
    guid: toText(item.id),
    title: toLine(item.title),
    link: toLink(item.url) ?? toLink(item.external_url),
    published: parseDate(toText(item.date_published)),
    updated: parseDate(toText(item.date_modified)),
    author: readNames(item),
    content: toBody(item.content_html, true) ?? toBody(item.content_text, false) ?? summary,
    summary,
    categories: uniqueLabels(toList(item.tags).flatMap(toTags)),
    enclosures: mergeEnclosures(toList(item.attachments).map(readAttachment)),
  }
  return [draft]
}

/** Tags in a single text are separated by commas; a tag in a list may contain a comma. */
const toTags = (tag: unknown, _: number, tags: readonly unknown[]): (string | null)[] => {
  const text = toText(tag)
  return tags.length === 1 && text !== null ? text.split(',') : [text]
}

const readAttachment = (attachment: unknown): DraftEnclosure[] => {
  if (!isJsonObject(attachment)) return []
  const link = toLink(attachment.url)
  if (link === null) return []
  const length = parseLength(toText(attachment.size_in_bytes))
  return [{ link, type: toText(attachment.mime_type), length }]
}

/** 1.1 has `authors`, 1.0 `author`. */
const readNames = (holder: Record<string, unknown>): string | null => {
  const people = [...toList(holder.authors), holder.author]
  return joinNames(
    people.map((person) =>
      isJsonObject(person) ? (toLine(person.name) ?? toAddress(person.url)) : toLine(person),
    ),
  )
}

/** A mail address is shown without its `mailto:`. */
const toAddress = (value: unknown): string | null =>
  toText(value)?.replace(/^mailto:([^?]*).*$/i, '$1') || null

/** A single value where a list is expected becomes a list of one. */
const toList = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value
  return value === undefined || value === null ? [] : [value]
}

/** Accepts numbers as texts, because ids often are numbers. */
const toText = (value: unknown): string | null => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

const toBody = (value: unknown, isHtml: boolean): RawBody | null => {
  const text = toText(value)
  return text === null ? null : { text, isHtml, bases: [] }
}

const toLine = (value: unknown): string | null => {
  const text = toText(value)
  return text === null ? null : toPlainLine(text, 'plain')
}

const toLink = (value: unknown): RawLink | null => {
  const href = toText(value)
  return href === null ? null : { href, bases: [] }
}
