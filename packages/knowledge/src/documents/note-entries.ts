import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { reasonOf, splitFrontMatter, toStewardError } from '@steward/contract'
import { readNoteFile } from '../notes/files/read-note-file.ts'
import type { LoadedArchive, NoteChange } from '../notes/index/load-archive.ts'
import { keyOf, type NotePlace } from '../notes/note-place.ts'
import { isLarge } from '../search/index-large.ts'
import type { SearchIndex } from '../search/open-search-index.ts'
import type { SearchDocument } from '../search/search-document.ts'

/** The kind of notes in the search index. */
export const NOTE_KIND = 'note'
const PREFIX = 'knowledge/'

/** The id of a note among documents: `knowledge/Ideas/slug`. */
export const noteId = (place: NotePlace): string => `${PREFIX}${keyOf(place)}`

/** `Ideas/slug` from such an id. */
export const keyOfNoteId = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined

type NoteEntry = SearchDocument & { content: string }

export interface NotePorts {
  root: string
  archive: LoadedArchive
  index: Pick<SearchIndex, 'put' | 'remove' | 'entries'>
  warn: (message: string) => void
}

/** Characters read and stored without a pause. */
const CHARS_AT_ONCE = 64 * 1024

/** Syncs the index with the archive, including changes made while the daemon was not running. */
export const indexAllNotes = async (ports: NotePorts): Promise<void> => {
  const { archive, index } = ports
  const notes = [...archive.index.notes(), ...archive.index.maps()]
  const marks = new Map(index.entries(NOTE_KIND).map(({ id, mark }) => [id, mark]))
  const changed = notes.filter((note) => marks.get(noteId(note)) !== note.etag)
  for (const note of notes) marks.delete(noteId(note))
  if (marks.size > 0) await index.remove([...marks.keys()])
  await putNotes(ports, changed)
}

/** Indexes single changes, short notes immediately, so that a saved note can be found. */
export const indexNoteChanges = async (
  ports: NotePorts,
  changes: readonly NoteChange[],
): Promise<void> => {
  const removed = changes.filter(({ kind }) => kind === 'removed').map(noteId)
  if (removed.length > 0) await ports.index.remove(removed)
  await putNotes(
    ports,
    changes.filter(({ kind }) => kind !== 'removed'),
  )
}

const putNotes = async (ports: NotePorts, places: readonly NotePlace[]): Promise<void> => {
  let entries: NoteEntry[] = []
  let chars = 0
  for (const place of places) {
    const entry = describeEntry(ports, place)
    if (entry === undefined) continue
    if (isLarge(entry.content)) await putLarge(ports, entry)
    else {
      entries.push(entry)
      chars += entry.content.length
    }
    if (chars < CHARS_AT_ONCE) continue
    await ports.index.put(entries)
    entries = []
    chars = 0
    await yieldToOthers()
  }
  if (entries.length > 0) await ports.index.put(entries)
}

/** A text that takes too long is left out; the others are still found. */
const putLarge = async ({ index, warn }: NotePorts, entry: NoteEntry): Promise<void> => {
  try {
    await index.put([entry])
  } catch (thrown) {
    if (toStewardError(thrown).code !== 'rejected_content') throw thrown
    warn(`the note ${keyOfNoteId(entry.id)} is not in the search: ${reasonOf(thrown)}`)
    await index.remove([entry.id])
  }
}

const describeEntry = (
  { root, archive, warn }: NotePorts,
  place: NotePlace,
): NoteEntry | undefined => {
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
      content: file.text.slice(splitFrontMatter(file.text).bodyStart),
      data: '',
    }
  } catch (thrown) {
    warn(`the note ${keyOf(place)} is not in the search: ${reasonOf(thrown)}`)
    return undefined
  }
}
