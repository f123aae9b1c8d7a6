import { KNOWLEDGE_DOMAINS, type KnowledgeDomain } from '@steward/contract'
import { isMap, keyOf, type NotePlace } from '../note-place.ts'
import type { ParsedNote } from '../parse-note.ts'
import { foldName, slugify } from '../slugify.ts'

/** A note in the index: everything except its text. */
export interface IndexedNote extends ParsedNote, NotePlace {
  etag: string
  updatedMs: number
}

export interface ArchiveIndex {
  set: (note: IndexedNote) => void
  remove: (key: string) => void
  get: (key: string) => IndexedNote | undefined
  /** Notes without maps, most recently changed first. */
  notes: () => readonly IndexedNote[]
  maps: () => readonly IndexedNote[]
  /** Resolves a link from a note in a domain. */
  resolve: (target: string, from: KnowledgeDomain) => IndexedNote | undefined
  /** The notes and maps that link to a note. */
  backlinksOf: (key: string) => IndexedNote[]
  /** Increases with every change. */
  version: () => number
}

/** Indexes notes by name and by link target, updated per note: no change needs a full scan. */
export const createArchiveIndex = (): ArchiveIndex => {
  const byKey = new Map<string, IndexedNote>()
  const byName = new Map<string, Set<IndexedNote>>()
  /** The notes that link to a name. */
  const mentions = new Map<string, Set<IndexedNote>>()
  let version = 0
  let sorted: readonly IndexedNote[] | undefined

  const forget = (key: string): void => {
    const note = byKey.get(key)
    if (note === undefined) return
    byKey.delete(key)
    for (const name of namesOf(note)) removeFrom(byName, name, note)
    for (const name of namedBy(note)) removeFrom(mentions, name, note)
  }
  const pick = (name: string, from: KnowledgeDomain): IndexedNote | undefined => {
    const notes = byName.get(name)
    if (notes === undefined) return undefined
    if (notes.size === 1) return notes.values().next().value
    return [...notes].toSorted((a, b) => rank(a, name, from) - rank(b, name, from))[0]
  }
  /** Tries `lookupsOf` in order; graphs resolve thousands of links, and most match immediately. */
  const resolve: ArchiveIndex['resolve'] = (target, from) => {
    const folded = foldName(target)
    const found = pick(folded, from)
    if (found !== undefined || folded.includes('/')) return found
    const slug = slugify(target)
    return slug === folded ? undefined : pick(slug, from)
  }

  return {
    set: (note) => {
      const key = keyOf(note)
      forget(key)
      byKey.set(key, note)
      for (const name of namesOf(note)) addTo(byName, name, note)
      for (const name of namedBy(note)) addTo(mentions, name, note)
      sorted = undefined
      version++
    },
    remove: (key) => {
      forget(key)
      sorted = undefined
      version++
    },
    get: (key) => byKey.get(key),
    notes: () => {
      sorted ??= [...byKey.values()].filter((note) => !isMap(note)).toSorted(byLastChange)
      return sorted
    },
    maps: () => [...byKey.values()].filter(isMap).toSorted(byKeyOrder),
    resolve,
    backlinksOf: (key) => {
      const note = byKey.get(key)
      if (note === undefined) return []
      const others = new Set(namesOf(note).flatMap((name) => [...(mentions.get(name) ?? [])]))
      others.delete(note)
      return [...others]
        .filter(({ targets, domain }) => targets.some((each) => resolve(each, domain) === note))
        .toSorted(byLastChange)
    },
    version: () => version,
  }
}

const byLastChange = (a: IndexedNote, b: IndexedNote): number =>
  b.updatedMs - a.updatedMs || byKeyOrder(a, b)
const byKeyOrder = (a: IndexedNote, b: IndexedNote): number => (keyOf(a) < keyOf(b) ? -1 : 1)

/** The names of a note. */
const namesOf = (note: IndexedNote): string[] => [
  ...new Set([
    foldName(keyOf(note)),
    note.slug,
    ...note.aliases.map(foldName),
    foldName(note.title),
  ]),
]

const namedBy = (note: IndexedNote): Set<string> => new Set(note.targets.flatMap(lookupsOf))

/** Lookup order for a link. `[[Ada Lovelace]]` finds `ada-lovelace` whatever its title is. */
const lookupsOf = (target: string): string[] => {
  const folded = foldName(target)
  if (folded.includes('/')) return [folded]
  const slug = slugify(target)
  return slug === folded ? [folded] : [folded, slug]
}

/**
 * Slugs rank before aliases and titles, the own domain before others, then the order of the
 * domains.
 */
const rank = (note: IndexedNote, name: string, from: KnowledgeDomain): number =>
  (note.slug === name ? 0 : 100) +
  (note.domain === from ? 0 : 10) +
  KNOWLEDGE_DOMAINS.indexOf(note.domain)

type NotesByName = Map<string, Set<IndexedNote>>

const addTo = (map: NotesByName, name: string, note: IndexedNote): void => {
  const notes = map.get(name)
  if (notes === undefined) map.set(name, new Set([note]))
  else notes.add(note)
}

const removeFrom = (map: NotesByName, name: string, note: IndexedNote): void => {
  const notes = map.get(name)
  notes?.delete(note)
  if (notes?.size === 0) map.delete(name)
}
