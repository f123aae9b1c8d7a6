import { keyOf, type NotePlace } from '@steward/knowledge'

const KNOWLEDGE = 'steward://knowledge/'
const WIKI = 'steward://wiki/'

export const NOTE_TEMPLATE = `${KNOWLEDGE}{domain}/{slug}`
export const DOCUMENT_TEMPLATE = `${WIKI}{+id}`

export const uriOfNote = (place: NotePlace): string => `${KNOWLEDGE}${keyOf(place)}`

/** An id is a path of user-chosen words; each word is escaped. */
export const uriOfDocument = (id: string): string =>
  `${WIKI}${id.toWellFormed().split('/').map(encodeURIComponent).join('/')}`

export type ResourceName = { kind: 'note'; key: string } | { kind: 'document'; id: string }

export const parseUri = (uri: string): ResourceName | undefined => {
  if (uri.startsWith(KNOWLEDGE)) return { kind: 'note', key: uri.slice(KNOWLEDGE.length) }
  if (!uri.startsWith(WIKI)) return undefined
  try {
    return { kind: 'document', id: decodeURIComponent(uri.slice(WIKI.length)) }
  } catch (thrown) {
    if (thrown instanceof URIError) return undefined
    throw thrown
  }
}
