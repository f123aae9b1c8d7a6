import type { Resource } from '@modelcontextprotocol/sdk/types.js'
import type { Archive } from '../archive/open-archive.ts'
import { uriOfDocument, uriOfNote } from './uris.ts'

const PAGE = 200

export interface ResourcePage {
  resources: Resource[]
  nextCursor?: string
}

/** Notes and documents sorted by address; a cursor is the last address returned. */
export const listResources = async (
  archive: Archive,
  cursor: string | undefined,
): Promise<ResourcePage> => {
  const { wiki, notes } = await archive.loadWiki()
  const { index } = notes
  const all = [
    ...[...index.notes(), ...index.maps()].map((note) => ({
      uri: uriOfNote(note),
      name: `${note.domain}/${note.slug}`,
      title: note.title,
    })),
    ...[...wiki.documents.catalog.all()].map(({ id, title }) => ({
      uri: uriOfDocument(id),
      name: id,
      title,
    })),
  ]
  const left = all
    .filter(({ uri }) => cursor === undefined || uri > cursor)
    .toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
  const page = left.slice(0, PAGE)
  const last = page.at(-1)
  return {
    resources: page.map((resource) => ({ ...resource, mimeType: 'text/markdown' })),
    ...(left.length > PAGE && last !== undefined ? { nextCursor: last.uri } : {}),
  }
}
