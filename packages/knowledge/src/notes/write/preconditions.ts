import { StewardError } from '@steward/contract'
import type { NoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'

/** What a writer says of the version it started from. */
export interface Precondition {
  /** Versions of which one must be the current; `*` is any. */
  ifMatch?: readonly string[]
  /** The note must not be there yet. */
  ifAbsent?: boolean
}

/** `If-Match` and `If-None-Match` as HTTP writes them. */
export const readPrecondition = (
  ifMatch: string | undefined,
  ifNoneMatch: string | undefined,
): Precondition => {
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    const reason = 'only * is understood: make it, unless it is there'
    throw new StewardError('invalid_input', { subject: 'If-None-Match', reason })
  }
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: ifMatch.split(',').map(versionOf) }),
    ...(ifNoneMatch === undefined ? {} : { ifAbsent: true }),
  }
}

const versionOf = (tag: string): string => tag.trim().replace(/^W\//, '').replaceAll(/^"|"$/g, '')

/** Throws `version_conflict` with what is there unless the writer's version is the current one. */
export const checkPrecondition = (
  place: NotePlace,
  current: NoteFile | undefined,
  { ifMatch, ifAbsent }: Precondition,
): void => {
  if (ifAbsent === true && current !== undefined) throw conflict(place, current)
  if (ifMatch === undefined || ifMatch.includes('*')) return
  if (current !== undefined && !ifMatch.includes(current.etag)) throw conflict(place, current)
}

/** What clients need to go on: the text that they have to take into account. */
export const conflict = (place: NotePlace, current: NoteFile): StewardError =>
  new StewardError('version_conflict', {
    subject: fileOf(place),
    current: { ...place, content: current.text, etag: current.etag },
  })

export const notFound = (place: NotePlace): StewardError =>
  new StewardError('not_found', { what: 'note', name: fileOf(place) })
