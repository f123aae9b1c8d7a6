import type { RawLink } from './links.ts'
import type { RawBody } from './raw-body.ts'

export interface DraftEnclosure {
  link: RawLink
  type: string | null
  length: number | null
}

/** An item as its format's reader found it: links still relative, identity not yet settled. */
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
  /** Where it says it is published: what its addresses are relative to when nobody else says. */
  self: RawLink | null
  /** Atom and JSON Feed: who wrote the items that name nobody. */
  author: string | null
  items: DraftItem[]
}

/** Bytes as a whole number, null for anything else. */
export const parseLength = (text: string | null): number | null => {
  const digits = (text ?? '').replace(/[,\s]/g, '')
  const length = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  return Number.isSafeInteger(length) ? length : null
}

/** Trimmed, without empty ones, each once whatever its case. */
export const uniqueLabels = (labels: readonly (string | null)[]): string[] => {
  const seen = new Map<string, string>()
  for (const label of labels) {
    const text = label?.trim() ?? ''
    const key = text.toLowerCase()
    if (text !== '' && !seen.has(key)) seen.set(key, text)
  }
  return [...seen.values()]
}
