import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileAtomically } from '@steward/platform'
import { checkFolder, type NoteFile, readNoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'
import { conflict, notFound } from './preconditions.ts'

/**
 * Replaces a note's text. Editors do not lock: if one wrote since `before` was read, this fails and
 * keeps that text.
 */
export const putText = async (
  root: string,
  place: NotePlace,
  text: string,
  before: NoteFile | undefined,
): Promise<NoteFile> => {
  mkdirSync(join(root, place.domain), { recursive: true, mode: 0o700 })
  checkFolder(root, place.domain)
  const beforeReplace = () => {
    const current = readNoteFile(root, place)
    if (current?.etag === before?.etag) return
    throw current === undefined ? notFound(place) : conflict(place, current)
  }
  await writeFileAtomically(join(root, fileOf(place)), text, { beforeReplace })
  const written = readNoteFile(root, place)
  if (written === undefined) throw notFound(place)
  return written
}
