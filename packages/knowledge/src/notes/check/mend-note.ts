import { setFrontMatter, splitFrontMatter } from '@steward/contract'
import type { NoteFile } from '../files/read-note-file.ts'
import { readFields } from '../frontmatter/read-fields.ts'
import type { IndexedNote } from '../index/archive-index.ts'
import { relink } from '../links/relink.ts'
import { fileOf, keyOf } from '../note-place.ts'
import { parseNote, TYPE_OF_DOMAIN } from '../parse-note.ts'
import type { BrokenLink } from './check-links.ts'
import type { Finding, Mending } from './findings.ts'

/** Missing frontmatter fields of a note; invalid ones are reported separately. */
export const findMissingFields = (note: IndexedNote, file: NoteFile): Record<string, string> => {
  const { head, fault } = splitFrontMatter(file.text)
  if (fault !== undefined) return {}
  const reading = readFields(head?.text ?? '')
  if (reading.fault !== undefined) return {}
  const { title, created, updated } = parseNote(file.text, note, file.writtenMs)
  const wanted = { title, type: TYPE_OF_DOMAIN[note.domain], created, updated }
  return Object.fromEntries(Object.entries(wanted).filter(([name]) => !reading.fields.has(name)))
}

export const describeMissing = (note: IndexedNote, missing: Record<string, string>): Finding[] => {
  const names = Object.keys(missing)
  if (names.length === 0) return []
  const message = note.hasFrontmatter
    ? `its frontmatter lacks ${names.join(', ')}`
    : 'it has no frontmatter'
  return [{ kind: 'frontmatter', file: fileOf(note), message, fix: `add ${names.join(', ')}` }]
}

/** A note's text with all fixes that need no decision. Removes nothing. */
export const mendNote = (
  note: IndexedNote,
  file: NoteFile,
  missing: Record<string, string>,
  broken: readonly BrokenLink[],
): Mending | undefined => {
  const meant = new Map(
    broken.flatMap(({ target, meant: to }) => (to === undefined ? [] : [[target, to]])),
  )
  const relinked = relink(file.text, { from: note.domain, to: note.domain }, ({ target }) =>
    meant.get(target),
  )
  const hasMissing = Object.keys(missing).length > 0
  const text = hasMissing ? setFrontMatter(relinked, missing) : relinked
  if (text === file.text) return undefined
  return {
    file: fileOf(note),
    etag: file.etag,
    text,
    changes: [
      ...Object.entries(missing).map(([name, value]) => `${name}: ${value}`),
      ...[...meant].map(([target, to]) => `${target} -> ${keyOf(to)}`),
    ],
  }
}
