import type { RawLink } from './links.ts'
import type { RawBody } from './raw-body.ts'

export interface DraftEnclosure {
  link: RawLink
  type: string | null
  length: number | null
}

/** An item as its format's reader found it: links still relative, id not yet determined. */
export interface DraftItem {
  guid: string | null
  title: string | null
  link: RawLink | null
  published: string | null
  updated: string | null
  author: string | null
  content: RawBody | null
  summary: RawBody | null
  categories: string[]
  enclosures: DraftEnclosure[]
}

export interface DraftFeed {
  title: string | null
  link: RawLink | null
  /**
   * The address where the feed says it is published; the base of its links if no other is known.
   */
  self: RawLink | null
  /** Atom and JSON Feed: the author of items without their own. */
  author: string | null
  items: DraftItem[]
}

/** A number of bytes as an integer; null for anything else. */
export const parseLength = (text: string | null): number | null => {
  const digits = (text ?? '').replace(/[,\s]/g, '')
  const length = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(length) ? length : null
}

/** Trims, drops empty ones, and deduplicates ignoring case. */
export const uniqueLabels = (labels: readonly (string | null)[]): string[] => {
  const seen = new Map<string, string>()
  for (const label of labels) {
    const text = label?.trim() ?? ''
    const key = text.toLowerCase()
    if (text !== '' && !seen.has(key)) seen.set(key, text)
  }
  return [...seen.values()]
}
