import { StewardError } from '@steward/contract'
import type { NoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'

/** The version that a writer's change is based on. */
export interface Precondition {
  /** One of these versions must be the current one; `*` matches any. */
  ifMatch?: readonly string[]
  /** The note must not exist yet. */
  ifAbsent?: boolean
}

/** Parses the HTTP headers `If-Match` and `If-None-Match`. */
export const readPrecondition = (
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): Precondition => {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    const reason = 'only * is supported: create it unless it exists'
    throw new StewardError('invalid_input', { subject: 'If-None-Match', reason })
  }
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: ifMatch.split(',').map(versionOf) }),
    ...(ifNoneMatch === undefined ? {} : { ifAbsent: true }),
  }
}

const versionOf = (tag: string): string => tag.trim().replace(/^W\//, '').replaceAll(/^"|"$/g, '')

/** Throws `version_conflict` with the current version unless it matches the writer's. */
export const checkPrecondition = (
  place: NotePlace,
  current: NoteFile | undefined,
  { ifMatch, ifAbsent }: Precondition,
): void => {
  if (ifAbsent === true && current !== undefined) throw conflict(place, current)
  if (ifMatch === undefined || ifMatch.includes('*')) return
  if (current !== undefined && !ifMatch.includes(current.etag)) throw conflict(place, current)
}

/** Includes the current text, which clients need to merge their change. */
export const conflict = (place: NotePlace, current: NoteFile): StewardError =>
  new StewardError('version_conflict', {
    subject: fileOf(place),
    current: { ...place, content: current.text, etag: current.etag },
  })

export const notFound = (place: NotePlace): StewardError =>
  new StewardError('not_found', { what: 'note', name: fileOf(place) })
