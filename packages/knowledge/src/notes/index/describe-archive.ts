import {
  KNOWLEDGE_DOMAINS,
  type KnowledgeDomain,
  type NoteRef,
  type NoteSummary,
} from '@steward/contract'
import { keyOf } from '../note-place.ts'
import type { ArchiveIndex, IndexedNote } from './archive-index.ts'
import { countBacklinks } from './linked-from.ts'

const SHOWN_TAGS = 30
const SHOWN_LINKED = 20

export const summarise = (note: IndexedNote): NoteSummary => {
  const { title, domain, type, quality, tags, created, updated, slug } = note
  return { title, domain, type, quality, tags: [...tags], created, updated, slug }
}

export const refTo = ({ domain, slug, title }: IndexedNote): NoteRef => ({ domain, slug, title })

/** Each domain with the quality of its notes: low up to 3, high from 7. */
export const describeDomains = (notes: readonly IndexedNote[]) =>
  KNOWLEDGE_DOMAINS.map((name) => {
    const own = notes.filter(({ domain }) => domain === name)
    return {
      name,
      count: own.length,
      avgQuality: averageQuality(own),
      lowCount: own.filter(({ quality }) => quality <= 3).length,
      midCount: own.filter(({ quality }) => quality > 3 && quality < 7).length,
      highCount: own.filter(({ quality }) => quality >= 7).length,
    }
  })

export const averageQuality = (notes: readonly IndexedNote[]): number => {
  if (notes.length === 0) return 0
  const sum = notes.reduce((total, { quality }) => total + quality, 0)
  return Math.round((sum / notes.length) * 10) / 10
}

/** Every tag with its count, most common first; spelled as first seen. */
export const countTags = (notes: readonly IndexedNote[]): { tag: string; count: number }[] => {
  const counts = new Map<string, { tag: string; count: number }>()
  for (const tag of notes.flatMap(({ tags }) => tags)) {
    const known = counts.get(tag.toLowerCase())
    if (known === undefined) counts.set(tag.toLowerCase(), { tag, count: 1 })
    else known.count++
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
}

export const topTags = (notes: readonly IndexedNote[]) => countTags(notes).slice(0, SHOWN_TAGS)

/** The notes with the most backlinks. */
export const topLinked = (index: ArchiveIndex) =>
  [...countBacklinks(index)]
    .map(([note, backlinks]) => ({ note, backlinks, key: keyOf(note) }))
    .toSorted((a, b) => b.backlinks - a.backlinks || (a.key < b.key ? -1 : 1))
    .slice(0, SHOWN_LINKED)
    .map(({ note, backlinks }) => ({ ...refTo(note), backlinks }))

export interface NoteFilter {
  tag?: string | undefined
  domain?: KnowledgeDomain | undefined
  /** Search results, best first. */
  found?: readonly string[] | undefined
}

/** The matching notes, in search order or most recently changed first. */
export const filterNotes = (index: ArchiveIndex, filter: NoteFilter): IndexedNote[] => {
  const tag = filter.tag?.replace(/^#/, '').toLowerCase()
  const candidates =
    filter.found === undefined ? index.notes() : filter.found.flatMap((key) => index.get(key) ?? [])
  return candidates.filter(
    ({ domain, tags }) =>
      (filter.domain === undefined || domain === filter.domain) &&
      (!tag || tags.some((each) => each.toLowerCase() === tag)),
  )
}
