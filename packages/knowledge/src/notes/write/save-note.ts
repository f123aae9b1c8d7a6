import { setFrontMatter, splitFrontMatter } from '@steward/contract'
import { type ArchivePlace, withArchiveLock } from '../files/archive-place.ts'
import { type NoteFile, readNoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'
import { checkText } from './check-text.ts'
import { checkFreeName } from './create-note.ts'
import { checkPrecondition, notFound, type Precondition } from './preconditions.ts'
import { putText } from './put-text.ts'
import { keepInTrash } from './trash.ts'

/**
 * Saves a note. With a version it is replaced only if that is the current one; without, the
 * replaced text goes to the trash, so that no text is lost. `updated` is set if there is
 * frontmatter. Saving an identical text changes nothing.
 */
export const saveNote = (
  archive: ArchivePlace,
  place: NotePlace,
  content: string,
  precondition: Precondition,
  now: () => Date,
): Promise<NoteFile> =>
  withArchiveLock(archive, async () => {
    const { root } = archive
    checkText(content, fileOf(place))
    const current = readNoteFile(root, place)
    checkPrecondition(place, current, precondition)
    if (current === undefined && precondition.ifAbsent !== true) throw notFound(place)
    if (current?.text === content) return current
    const text = stamp(content, now())
    checkText(text, fileOf(place))
    if (current === undefined) checkFreeName(root, place)
    else if (!namesVersion(precondition)) await keepInTrash(archive, place, current, now())
    return putText(root, place, text, current)
  })

/** `*` is not a version: the writer has not seen the current text. */
const namesVersion = ({ ifMatch }: Precondition): boolean =>
  ifMatch !== undefined && !ifMatch.includes('*')

/** A text without frontmatter stays without. */
const stamp = (text: string, at: Date): string =>
  splitFrontMatter(text).head === undefined
    ? text
    : setFrontMatter(text, { updated: at.toISOString() })
