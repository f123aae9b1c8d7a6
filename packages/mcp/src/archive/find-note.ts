import { nearestHint, StewardError } from '@steward/contract'
import {
  type ArchivePlace,
  fileOf,
  type IndexedNote,
  type LoadedArchive,
  type NoteFile,
  type NotePlace,
  parseKey,
  readNoteFile,
} from '@steward/knowledge'

const LONGEST_WORD = 120

/** The note that a reference means: `Ideas/slug`, a slug, an alias or a title. */
export const findNote = ({ index }: LoadedArchive, word: string): IndexedNote => {
  const place = parseKey(word)
  const found =
    place === undefined ? index.resolve(word, 'People') : index.get(`${place.domain}/${place.slug}`)
  if (found !== undefined) return found
  const slugs = index.notes().map(({ slug }) => slug)
  const wanted = word.split('/').at(-1) ?? word
  throw noSuchNote(word, nearestHint(wanted.slice(0, LONGEST_WORD), slugs))
}

export const readNote = (place: ArchivePlace, note: NotePlace): NoteFile => {
  const file = readNoteFile(place.root, note)
  if (file === undefined) throw noSuchNote(fileOf(note), '')
  return file
}

const noSuchNote = (name: string, hint: string): StewardError =>
  new StewardError('not_found', { what: 'note', name: name.slice(0, LONGEST_WORD), hint })
