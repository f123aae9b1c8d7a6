import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, constants, lstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type KnowledgeDomain, LIMITS, StewardError } from '@steward/contract'
import { codeOf, isMissing } from '@steward/platform'
import { fileOf, type NotePlace } from '../note-place.ts'

export interface NoteFile {
  text: string
  etag: string
  writtenMs: number
}

/** The version of a text: a hash of its content. */
export const etagOf = (text: string | Uint8Array): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

/**
 * Reads a note's file; undefined if missing. Symbolic links are never followed, neither files nor
 * folders, so that nothing outside the archive is read.
 */
export const readNoteFile = (
  root: string,
  place: NotePlace,
  found: BigIntStats | undefined = lstatNote(root, place),
): NoteFile | undefined => {
  if (found === undefined) return undefined
  const subject = fileOf(place)
  const bytes = readBytes(join(root, subject), subject)
  if (bytes === undefined) return undefined
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw new StewardError('rejected_content', { subject, reason: 'it is not UTF-8 text' }, thrown)
  }
  return { text, etag: etagOf(bytes), writtenMs: Number(found.mtimeMs) }
}

/** The file's metadata, if it may be read. */
export const lstatNote = (root: string, place: NotePlace): BigIntStats | undefined => {
  const subject = fileOf(place)
  if (!checkFolder(root, place.domain)) return undefined
  const found = lstatSync(join(root, subject), { bigint: true, throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isSymbolicLink()) throw refuse(subject, 'it is a symbolic link; those are not followed')
  if (!found.isFile()) throw refuse(subject, 'it is not a regular file')
  if (found.size > LIMITS.noteBytes) throw tooLarge(subject, Number(found.size))
  return found
}

/**
 * Whether a domain's folder exists; a symbolic link is refused because it would lead out of the
 * archive.
 */
export const checkFolder = (root: string, domain: KnowledgeDomain): boolean => {
  const found = lstatSync(join(root, domain), { throwIfNoEntry: false })
  if (found === undefined) return false
  if (found.isDirectory()) return true
  const reason = found.isSymbolicLink()
    ? 'it is a symbolic link; those are not followed'
    : 'it is not a folder'
  throw refuse(domain, reason)
}

export const tooLarge = (subject: string, bytes: number): StewardError =>
  new StewardError('payload_too_large', { subject, bytes, limit: LIMITS.noteBytes })

const refuse = (subject: string, reason: string): StewardError =>
  new StewardError('rejected_content', { subject, reason })

/** Non-blocking, so that a pipe that replaced the file does not hang us. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const readBytes = (path: string, subject: string): Uint8Array | undefined => {
  let handle: number
  try {
    handle = openSync(path, FLAGS)
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    if (codeOf(thrown) === 'ELOOP') throw refuse(subject, 'it is a symbolic link')
    throw refuse(subject, `it cannot be read: ${codeOf(thrown) ?? String(thrown)}`)
  }
  try {
    return readAll(handle, subject)
  } finally {
    closeSync(handle)
  }
}

const CHUNK = Buffer.allocUnsafe(LIMITS.noteBytes + 1)

/** Reuses one buffer, because ten thousand small files do not need a megabyte each. */
const readAll = (handle: number, subject: string): Uint8Array => {
  let size = 0
  for (;;) {
    const read = readSync(handle, CHUNK, size, CHUNK.length - size, null)
    size += read
    if (size > LIMITS.noteBytes) throw tooLarge(subject, size)
    if (read === 0) return CHUNK.subarray(0, size)
  }
}
