import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { readNoteFile } from './files/read-note-file.ts'
import { splitNote } from './frontmatter/split-note.ts'
import type { IndexedNote } from './index/archive-index.ts'
import type { LoadedArchive } from './index/load-archive.ts'
import { keyOf } from './note-place.ts'
import { foldName } from './slugify.ts'

export interface FoundNote {
  note: IndexedNote
  score: number
  /** The text around the first hit. */
  excerpt: string
}

const READ_AT_ONCE = 50
const BEFORE = 60
const AFTER = 140

/** Notes that have every word of a query, in their title, names, tags or text; the best first. */
export const searchNotes = async (
  root: string,
  { index }: LoadedArchive,
  query: string,
): Promise<FoundNote[]> => {
  const words = foldName(query)
    .split(' ')
    .filter((word) => word !== '')
  if (words.length === 0) return []
  const found: FoundNote[] = []
  let looked = 0
  for (const note of index.notes()) {
    const hit = judge(root, note, words)
    if (hit !== undefined) found.push(hit)
    if (++looked % READ_AT_ONCE === 0) await yieldToOthers()
  }
  return found.toSorted((a, b) => b.score - a.score || (keyOf(a.note) < keyOf(b.note) ? -1 : 1))
}

const judge = (
  root: string,
  note: IndexedNote,
  words: readonly string[],
): FoundNote | undefined => {
  const file = readNoteFile(root, note)
  if (file === undefined) return undefined
  const body = file.text.slice(splitNote(file.text).bodyStart)
  const folded = body.normalize('NFKC').toLowerCase()
  const title = foldName(note.title)
  const names = foldName([note.slug, ...note.aliases].join(' '))
  const tags = foldName(note.tags.join(' '))
  let score = 0
  for (const word of words) {
    const own =
      (title.includes(word) ? 3 : 0) +
      (tags.includes(word) ? 2 : 0) +
      (names.includes(word) ? 2 : 0) +
      (folded.includes(word) ? 1 : 0)
    if (own === 0) return undefined
    score += own
  }
  return { note, score, excerpt: excerptOf(body, folded, words) }
}

const excerptOf = (body: string, folded: string, words: readonly string[]): string => {
  const hits = words.map((word) => folded.indexOf(word)).filter((at) => at !== -1)
  const at = hits.length === 0 ? 0 : Math.min(...hits)
  return body
    .slice(Math.max(0, at - BEFORE), at + AFTER)
    .replaceAll(/\s+/g, ' ')
    .trim()
}
