import { StewardError } from '@steward/contract'
import { parseKey } from '@steward/knowledge'
import { readNote } from '../archive/find-note.ts'
import type { Archive } from '../archive/open-archive.ts'
import { readDocument } from '../archive/read-document.ts'
import { parseUri } from './uris.ts'

/** The Markdown behind an address. */
export const readResource = async (archive: Archive, uri: string): Promise<string> => {
  const name = parseUri(uri)
  const place = name?.kind === 'note' ? parseKey(name.key) : undefined
  if (place !== undefined) return readNote(archive.place, place).text
  if (name?.kind === 'document') {
    const found = readDocument((await archive.loadWiki()).wiki, name.id)
    if (found !== undefined) return found.markdown
  }
  const hint = ' (steward://knowledge/Ideas/slug is a note, steward://wiki/docs/feeds a document)'
  throw new StewardError('not_found', { what: 'resource', name: uri.slice(0, 300), hint })
}
