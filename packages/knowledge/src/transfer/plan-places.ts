import { createHash } from 'node:crypto'
import type { ArchiveIndex } from '../notes/index/archive-index.ts'
import { fileOf, keyOf, type NotePlace, parseKey } from '../notes/note-place.ts'
import { slugify } from '../notes/slugify.ts'
import { baseNameOf, type FolderNote } from './folder-note.ts'
import type { ImportedNote } from './import-ledger.ts'

export interface TakenPlaces {
  /** The notes in the archive. */
  index: Pick<ArchiveIndex, 'get'>
  /** What was imported from this folder before, by path. */
  imported: ReadonlyMap<string, ImportedNote>
  /** Whether a note in the archive was imported from a path of this folder. */
  cameFrom: (place: NotePlace, path: string) => boolean
}

/** README files are not notes, so that no note may be called so. */
const RESERVED = new Set(['readme'])

/**
 * Gives every note of a folder its place: the one it had before, else one from its title. Existing
 * notes keep their places; a second note of the same name gets its folder or a hash into its name.
 */
export const planPlaces = (
  notes: readonly FolderNote[],
  { index, imported, cameFrom }: TakenPlaces,
): Map<string, NotePlace> => {
  const places = new Map<string, NotePlace>()
  const taken = new Set<string>()
  const take = (path: string, place: NotePlace): void => {
    places.set(path, place)
    taken.add(keyOf(place))
  }
  for (const { path } of notes) {
    const place = parseKey(imported.get(path)?.file ?? '')
    if (place !== undefined) take(path, place)
  }
  for (const note of notes) {
    if (places.has(note.path)) continue
    const candidates = slugsFor(note).map((slug) => ({ domain: note.domain, slug }))
    const place = candidates.find(
      (each) =>
        !taken.has(keyOf(each)) &&
        (index.get(keyOf(each)) === undefined || cameFrom(each, note.path)),
    )
    if (place !== undefined) take(note.path, place)
  }
  return places
}

const slugsFor = ({ path, title }: FolderNote): string[] => {
  const base = baseNameOf(path)
  const mark = base.startsWith('_') ? '_' : ''
  const slug = slugify(base.startsWith('_') ? base.slice(1) : title)
  const folder = path.split('/').at(-2)
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 8)
  return [
    ...(RESERVED.has(slug) ? [] : [`${mark}${slug}`]),
    ...(folder === undefined ? [] : [`${mark}${slugify(`${folder} ${slug}`)}`]),
    `${mark}${slug}-${hash}`,
  ]
}

/** A file that was moved within its folder keeps its note: its entry gets the new path. */
export const adoptMoved = (
  notes: readonly FolderNote[],
  imported: Map<string, ImportedNote>,
): void => {
  const there = new Set(notes.map(({ path }) => path))
  const gone = new Map(
    [...imported].filter(([path]) => !there.has(path)).map(([path, { file }]) => [file, path]),
  )
  for (const note of notes) {
    if (imported.has(note.path)) continue
    const file = slugsFor(note)
      .map((slug) => fileOf({ domain: note.domain, slug }))
      .find((each) => gone.has(each))
    const before = file === undefined ? undefined : gone.get(file)
    const entry = before === undefined ? undefined : imported.get(before)
    if (file === undefined || before === undefined || entry === undefined) continue
    imported.delete(before)
    imported.set(note.path, entry)
    gone.delete(file)
  }
}
