import {
  type FrontMatterChanges,
  readFrontMatter,
  setFrontMatter,
  splitFrontMatter,
} from '@steward/contract'
import { readFields } from '../notes/frontmatter/read-fields.ts'
import { keyOf, type NotePlace } from '../notes/note-place.ts'
import { TYPE_OF_DOMAIN } from '../notes/parse-note.ts'
import { type LinkedText, type ResolveLink, rewriteLinks } from './folder-links.ts'
import type { FolderNote } from './folder-note.ts'

/** The frontmatter field with the file that a note was imported from. */
export const ORIGIN = 'origin'

/**
 * The text of a note for the archive: the same text with links that work there, and with title, tags,
 * aliases and origin in its frontmatter. Unreadable frontmatter is kept as a block of code.
 */
export const convertNote = (
  text: string,
  note: FolderNote,
  { place, folder, resolve }: { place: NotePlace; folder: string; resolve: ResolveLink },
): LinkedText => {
  const plain = text.startsWith('\uFEFF') ? text.slice(1) : text
  const readable = note.fault === undefined ? plain : setAsideHead(plain)
  const headEnd = splitFrontMatter(readable).bodyStart
  const linked = rewriteLinks(readable, { path: note.path, place, headEnd, folder }, resolve)
  const relate = (item: string): string => {
    if (item.includes('[[')) {
      const from = { path: note.path, place, headEnd: item.length, folder }
      const { text: written, broken, ambiguous } = rewriteLinks(item, from, resolve)
      linked.broken.push(...broken)
      linked.ambiguous.push(...ambiguous)
      return written
    }
    const found = resolve(item, note.path)
    if (found === undefined || found === 'outside' || found.kind !== 'note') return item
    const { candidates } = found
    if (candidates !== undefined) linked.ambiguous.push({ target: item, candidates })
    const key = found.place.domain === place.domain ? found.place.slug : keyOf(found.place)
    return key === item ? item : `[[${key}]]`
  }
  const related = relatedOf(readable).map(relate)
  const fields: FrontMatterChanges = {
    title: note.title,
    ...(readFrontMatter(linked.text).fields.has('type')
      ? {}
      : { type: TYPE_OF_DOMAIN[place.domain] }),
    tags: note.tags,
    ...(isSame(related, relatedOf(linked.text)) ? {} : { related }),
    ...(note.aliases.length === 0 ? {} : { aliases: note.aliases }),
    created: note.created,
    updated: note.updated,
    [ORIGIN]: `${folder}/${note.path}`,
  }
  return { ...linked, text: setFrontMatter(linked.text, fields) }
}

/** The notes of the field `related`; one given as slug and type is `type:: [[slug]]`. */
const relatedOf = (text: string): readonly string[] => {
  const { head } = splitFrontMatter(text)
  const value = head === undefined ? undefined : readFields(head.text).fields.get('related')
  return Array.isArray(value) ? value : []
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at])

/** No byte of it is lost, and the note below it can be read. */
const setAsideHead = (text: string): string => {
  const { head, bodyStart } = splitFrontMatter(text)
  if (head === undefined) return text.replace(/^---[ \t]*\r?\n/, '')
  const fence = head.text.includes('```') ? '~~~~' : '```'
  return `${fence}yaml\n${head.text.replace(/\n?$/, '\n')}${fence}\n\n${text.slice(bodyStart)}`
}
