import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { formatFrontMatter, StewardError } from '@steward/contract'
import { type ArchivePlace, withArchiveLock } from '../files/archive-place.ts'
import { checkFolder, type NoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'
import { TYPE_OF_DOMAIN } from '../parse-note.ts'
import { slugify } from '../slugify.ts'
import { checkText } from './check-text.ts'
import { putText } from './put-text.ts'

export interface NewNote extends Pick<NotePlace, 'domain'> {
  title: string
  /** Derived from the title by default. */
  slug?: string | undefined
  tags?: readonly string[] | undefined
  /** Markdown below the frontmatter; by default a heading with the title. */
  body?: string | undefined
  /** Additional frontmatter fields. */
  fields?: Readonly<Record<string, string | readonly string[]>> | undefined
}

const LONGEST_TITLE = 200

/** Creates a note; an existing one is never overwritten. */
export const createNote = (
  archive: ArchivePlace,
  note: NewNote,
  now: () => Date,
): Promise<{ place: NotePlace; file: NoteFile }> =>
  withArchiveLock(archive, async () => {
    const title = checkTitle(note.title)
    const place = { domain: note.domain, slug: note.slug ?? slugify(title) }
    const text = composeNote({ ...note, title }, now())
    checkText(text, fileOf(place))
    checkFreeName(archive.root, place)
    return { place, file: await putText(archive.root, place, text, undefined) }
  })

/**
 * A name that only differs in case or in Unicode form counts as taken, because some file systems do
 * not distinguish them.
 */
export const checkFreeName = (root: string, place: NotePlace): void => {
  if (!checkFolder(root, place.domain)) return
  const wanted = foldFile(`${place.slug}.md`)
  const taken = readdirSync(join(root, place.domain)).find((name) => foldFile(name) === wanted)
  if (taken === undefined) return
  throw new StewardError('already_exists', { subject: `${place.domain}/${taken}` })
}

/** Compares names like a case-insensitive file system. */
export const foldFile = (name: string): string => name.normalize('NFC').toLowerCase()

export const checkTitle = (given: string): string => {
  const title = given.replaceAll(/\s+/g, ' ').trim()
  const refuse = (reason: string) =>
    new StewardError('invalid_input', { subject: 'the title', reason, field: 'title' })
  if (title === '') throw refuse('it is empty')
  if (title.length > LONGEST_TITLE) throw refuse(`it is longer than ${LONGEST_TITLE} characters`)
  return title
}

const composeNote = (note: NewNote, at: Date): string => {
  const time = at.toISOString()
  const head = formatFrontMatter({
    title: note.title,
    type: TYPE_OF_DOMAIN[note.domain],
    tags: note.tags ?? [],
    created: time,
    updated: time,
    ...note.fields,
  })
  const body = note.body?.trim() || `# ${note.title}`
  return `---\n${head}---\n\n${body}\n`
}
