import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { reasonOf, splitFrontMatter } from '@steward/contract'
import { readNoteFile } from '../notes/files/read-note-file.ts'
import type { LoadedArchive, NoteChange } from '../notes/index/load-archive.ts'
import { keyOf, type NotePlace } from '../notes/note-place.ts'
import type { SearchIndex } from '../search/open-search-index.ts'
import type { SearchDocument } from '../search/search-document.ts'
import { splitSections } from '../search/split-sections.ts'

/** The kind of notes in the search index. */
export const NOTE_KIND = 'note'
const PREFIX = 'knowledge/'

/** The id of a note among documents: `knowledge/Ideas/slug`. */
export const noteId = (place: NotePlace): string => `${PREFIX}${keyOf(place)}`

/** `Ideas/slug` from such an id. */
export const keyOfNoteId = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined

export interface NotePorts {
  root: string
  archive: LoadedArchive
  index: Pick<SearchIndex, 'put' | 'remove' | 'entries'>
  warn: (message: string) => void
}

const AT_ONCE = 50

/** Syncs the index with the archive, including changes made while the daemon was not running. */
export const indexAllNotes = async (ports: NotePorts): Promise<void> => {
  const { archive, index } = ports
  const notes = [...archive.index.notes(), ...archive.index.maps()]
  const marks = new Map(index.entries(NOTE_KIND).map(({ id, mark }) => [id, mark]))
  const changed = notes.filter((note) => marks.get(noteId(note)) !== note.etag)
  for (const note of notes) marks.delete(noteId(note))
  if (marks.size > 0) index.remove([...marks.keys()])
  for (let at = 0; at < changed.length; at += AT_ONCE) {
    putNotes(ports, changed.slice(at, at + AT_ONCE))
    await yieldToOthers()
  }
}

/** Indexes single changes immediately, so that a saved note can be found. */
export const indexNoteChanges = (ports: NotePorts, changes: readonly NoteChange[]): void => {
  const removed = changes.filter(({ kind }) => kind === 'removed').map(noteId)
  if (removed.length > 0) ports.index.remove(removed)
  putNotes(
    ports,
    changes.filter(({ kind }) => kind !== 'removed'),
  )
}

const putNotes = (ports: NotePorts, places: readonly NotePlace[]): void => {
  const entries = places.flatMap((place) => describeEntry(ports, place) ?? [])
  if (entries.length > 0) ports.index.put(entries)
}

const describeEntry = (
  { root, archive, warn }: NotePorts,
  place: NotePlace,
): SearchDocument | undefined => {
  const note = archive.index.get(keyOf(place))
  if (note === undefined) return undefined
  try {
    const file = readNoteFile(root, place)
    if (file === undefined) return undefined
    return {
      id: noteId(place),
      kind: NOTE_KIND,
      title: note.title,
      names: [note.slug, ...note.aliases],
      tags: note.tags,
      updatedMs: note.updatedMs,
      mark: file.etag,
      sections: splitSections(file.text.slice(splitFrontMatter(file.text).bodyStart)).sections,
      data: '',
    }
  } catch (thrown) {
    warn(`the note ${keyOf(place)} is not in the search: ${reasonOf(thrown)}`)
    return undefined
  }
}
