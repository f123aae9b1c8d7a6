import { setImmediate as yieldToOthers } from 'node:timers/promises'
import {
  KNOWLEDGE_DOMAINS,
  type KnowledgeDomain,
  type NoteProblem,
  toStewardError,
} from '@steward/contract'
import { listNoteFiles } from '../files/list-note-files.ts'
import { lstatNote, readNoteFile } from '../files/read-note-file.ts'
import { fileOf, keyOf, type NotePlace, parseKey } from '../note-place.ts'
import { parseNote } from '../parse-note.ts'
import { type ArchiveIndex, createArchiveIndex } from './archive-index.ts'

export interface NoteChange extends NotePlace {
  kind: 'added' | 'changed' | 'removed'
}

export interface ArchiveProblem extends NoteProblem {
  /** An invalid slug, an unreadable file, or a problem in the frontmatter. */
  kind: 'name' | 'file' | 'frontmatter'
}

/** The archive in memory. */
export interface LoadedArchive {
  index: ArchiveIndex
  /** Checks every file and rereads changed ones. */
  refresh: () => Promise<NoteChange[]>
  /** Checks one file. */
  look: (place: NotePlace) => NoteChange | undefined
  /** Files that are not notes, and problems in notes. */
  problems: () => ArchiveProblem[]
}

/** Files read without a pause, so that other work is not blocked. */
const READ_AT_ONCE = 50

export const loadArchive = (root: string): LoadedArchive => {
  const index = createArchiveIndex()
  const marks = new Map<string, string>()
  const unreadable = new Map<string, string>()
  let strange: ArchiveProblem[] = []

  const forget = (place: NotePlace): NoteChange | undefined => {
    const key = keyOf(place)
    marks.delete(key)
    unreadable.delete(fileOf(place))
    if (index.get(key) === undefined) return undefined
    index.remove(key)
    return { ...place, kind: 'removed' }
  }
  const take = (place: NotePlace): NoteChange | undefined => {
    const key = keyOf(place)
    const found = lstatNote(root, place)
    if (found === undefined) return forget(place)
    const mark = `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
    if (marks.get(key) === mark) return undefined
    const file = readNoteFile(root, place, found)
    if (file === undefined) return forget(place)
    marks.set(key, mark)
    unreadable.delete(fileOf(place))
    const known = index.get(key)
    if (known?.etag === file.etag) return undefined
    const parsed = parseNote(file.text, place, file.writtenMs)
    const updatedMs = Date.parse(parsed.updated)
    index.set({ ...parsed, ...place, etag: file.etag, updatedMs })
    return { ...place, kind: known === undefined ? 'added' : 'changed' }
  }
  const look = (place: NotePlace): NoteChange | undefined => {
    try {
      return take(place)
    } catch (thrown) {
      const change = forget(place)
      unreadable.set(fileOf(place), reasonFor(thrown))
      return change
    }
  }

  return {
    index,
    look,
    refresh: async () => {
      const listed = KNOWLEDGE_DOMAINS.map((domain) => ({ domain, ...listNoteFiles(root, domain) }))
      strange = listed.flatMap(describeStrange)
      const there = new Set(
        listed.flatMap(({ domain, slugs }) => slugs.map((slug) => `${domain}/${slug}`)),
      )
      const gone = [...marks.keys()].filter((key) => !there.has(key))
      for (const file of unreadable.keys()) {
        if (!there.has(file.replace(/\.md$/, ''))) unreadable.delete(file)
      }
      const changes: NoteChange[] = []
      let looked = 0
      for (const key of [...gone, ...there]) {
        const place = parseKey(key)
        const change = place === undefined ? undefined : look(place)
        if (change !== undefined) changes.push(change)
        if (++looked % READ_AT_ONCE === 0) await yieldToOthers()
      }
      return changes
    },
    problems: () => [
      ...strange,
      ...[...unreadable].map(([file, reason]) => ({ file, reason, kind: 'file' as const })),
      ...[...index.notes(), ...index.maps()].flatMap((note) =>
        note.problems.map((reason) => ({
          file: fileOf(note),
          reason,
          kind: 'frontmatter' as const,
        })),
      ),
    ],
  }
}

/** The file name is shown separately. */
const reasonFor = (thrown: unknown): string => {
  const { message, details } = toStewardError(thrown)
  return typeof details.reason === 'string' ? details.reason : message
}

const describeStrange = (listed: {
  domain: KnowledgeDomain
  strange: { name: string; reason: string; kind: 'name' | 'file' }[]
  fault?: string
}): ArchiveProblem[] => [
  ...(listed.fault === undefined
    ? []
    : [{ file: listed.domain, reason: listed.fault, kind: 'file' as const }]),
  ...listed.strange.map(({ name, ...rest }) => ({ file: `${listed.domain}/${name}`, ...rest })),
]
