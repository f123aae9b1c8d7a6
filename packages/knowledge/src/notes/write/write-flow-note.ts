import { readFrontMatter, StewardError } from '@steward/contract'
import type { ArchivePlace } from '../files/archive-place.ts'
import { readNoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'
import { slugify } from '../slugify.ts'
import { createNote, type NewNote } from './create-note.ts'

/** A note that a flow delivers; `key` is stable for the same item. */
export interface FlowNote extends Pick<NewNote, 'domain' | 'title' | 'tags' | 'body'> {
  key: string
  fields: Readonly<Record<string, string>>
}

/** The front matter field with the key of the item. */
const KEY_FIELD = 'delivery'

/**
 * Writes the note of an item once. An existing note is never changed: another one of the same name
 * makes this one get a name with its key.
 */
export const writeFlowNote = async (
  archive: ArchivePlace,
  { key, ...note }: FlowNote,
  now: () => Date,
): Promise<{ note: string; repeated?: true }> => {
  const slug = slugify(note.title)
  const fields = { ...note.fields, [KEY_FIELD]: key }
  const own = `${slug}-${key.slice(0, 8)}`
  for (const place of [slug, own].map((each): NotePlace => ({ domain: note.domain, slug: each }))) {
    const found = readNoteFile(archive.root, place)
    if (found !== undefined && keyIn(found.text) === key) {
      return { note: fileOf(place), repeated: true }
    }
  }
  try {
    const { place } = await createNote(archive, { ...note, slug, fields }, now)
    return { note: fileOf(place) }
  } catch (thrown) {
    if (!(thrown instanceof StewardError && thrown.code === 'already_exists')) throw thrown
    const { place } = await createNote(archive, { ...note, slug: own, fields }, now)
    return { note: fileOf(place) }
  }
}

const keyIn = (text: string): string | undefined => readFrontMatter(text).fields.get(KEY_FIELD)
