import { type FrontMatterChanges, setFrontMatter, splitFrontMatter } from '@steward/contract'
import type { ArchivePlace } from '../files/archive-place.ts'
import { readNoteFile } from '../files/read-note-file.ts'
import type { LoadedArchive } from '../index/load-archive.ts'
import { keyOf, type NotePlace, parseKey } from '../note-place.ts'
import { slugify } from '../slugify.ts'
import { createNote } from '../write/create-note.ts'
import { saveNote } from '../write/save-note.ts'
import type { Learning } from './find-learnings.ts'
import type { LearnedEntry } from './ledger.ts'

export interface WrittenLearning {
  outcome: 'written' | 'updated' | 'kept'
  place: NotePlace
  etag: string
}

const LONGEST_TITLE = 200

/** Writes one learning: a new note, or an update of the earlier note if no person changed it. */
export const writeLearning = async (
  archive: ArchivePlace,
  loaded: LoadedArchive,
  learning: Learning & { source: string },
  known: LearnedEntry | undefined,
  now: () => Date,
): Promise<WrittenLearning> => {
  await loaded.refresh()
  const note = loaded.index.notes().find(({ source }) => source === learning.source)
  const file = note === undefined ? undefined : readNoteFile(archive.root, note)
  if (note !== undefined && file !== undefined) {
    const place = { domain: note.domain, slug: note.slug }
    // Without a record, the note was written before a crash and may have been changed since.
    if (known?.etag !== file.etag) {
      return { outcome: 'kept', place, etag: file.etag }
    }
    const head = file.text.slice(0, splitFrontMatter(file.text).bodyStart)
    const text = setFrontMatter(`${head}\n${learning.body.trim()}\n`, { title: titleOf(learning) })
    const saved = await saveNote(archive, place, text, { ifMatch: [file.etag] }, now)
    return { outcome: 'updated', place, etag: saved.etag }
  }
  const before = known === undefined ? undefined : parseKey(known.file)
  // It was written once and removed by a person, so it is not written again.
  if (known !== undefined && before !== undefined) {
    return { outcome: 'kept', place: before, etag: known.etag }
  }
  return create(archive, loaded, learning, now)
}

/** An existing note with that name and other content is kept; the new note links to it. */
const create = async (
  archive: ArchivePlace,
  { index }: LoadedArchive,
  learning: Learning & { source: string },
  now: () => Date,
): Promise<WrittenLearning> => {
  const { domain, source, body } = learning
  const title = titleOf(learning)
  const taken = index.get(keyOf({ domain, slug: slugify(title) }))
  let slug = slugify(title)
  for (let count = 2; index.get(keyOf({ domain, slug })) !== undefined; count++) {
    slug = `${slugify(title)}-${count}`
  }
  const fields: FrontMatterChanges =
    taken === undefined ? { source } : { source, related: [`[[${keyOf(taken)}]]`] }
  const { place, file } = await createNote(
    archive,
    { domain, title, slug, tags: ['learned'], body, fields },
    now,
  )
  return { outcome: 'written', place, etag: file.etag }
}

const titleOf = ({ title }: Learning): string =>
  title.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE)
