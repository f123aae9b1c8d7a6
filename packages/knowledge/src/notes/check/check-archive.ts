import { splitFrontMatter } from '@steward/contract'
import { properSlug } from '../files/list-note-files.ts'
import { type NoteFile, readNoteFile } from '../files/read-note-file.ts'
import type { ArchiveIndex, IndexedNote } from '../index/archive-index.ts'
import { linkedFrom } from '../index/linked-from.ts'
import type { ArchiveProblem, LoadedArchive } from '../index/load-archive.ts'
import { fileOf, isMap, keyOf } from '../note-place.ts'
import { describeBrokenLinks, findBrokenLinks } from './check-links.ts'
import { findDuplicates } from './find-duplicates.ts'
import type { Finding, Mending } from './findings.ts'
import { describeMissing, findMissingFields, mendNote } from './mend-note.ts'

export interface ArchiveCheck {
  findings: Finding[]
  /** The changes that `--fix` would make. */
  mendings: Mending[]
}

/** Checks a loaded archive for problems and for fixes that need no decision. */
export const checkArchive = (root: string, { index, problems }: LoadedArchive): ArchiveCheck => {
  const findings: Finding[] = []
  const mendings: Mending[] = []
  const files = new Map<string, NoteFile>()
  for (const note of [...index.notes(), ...index.maps()]) {
    const file = readNoteFile(root, note)
    if (file !== undefined) files.set(keyOf(note), file)
  }
  const slugs = index.notes().map(({ slug }) => slug)
  for (const problem of problems()) findings.push(describeProblem(problem))
  for (const note of index.notes()) {
    const file = files.get(keyOf(note))
    if (file === undefined) continue
    const missing = findMissingFields(note, file)
    findings.push(
      ...describeMissing(note, missing),
      ...describeBrokenLinks(index, note, slugs),
      ...describeOrphan(index, note),
    )
    const mending = mendNote(note, file, missing, findBrokenLinks(index, note))
    if (mending !== undefined) mendings.push(mending)
  }
  findings.push(...findDuplicates(index.notes().flatMap((note) => toCompared(note, files))))
  for (const { file, kind } of problems()) {
    if (kind === 'name') mendings.push(renaming(file))
  }
  return { findings, mendings }
}

const describeProblem = ({ file, reason, kind }: ArchiveProblem): Finding => ({
  kind: kind === 'frontmatter' ? kind : 'file',
  file,
  message: reason,
  ...(kind === 'name' ? { fix: `rename it to ${renaming(file).rename}` } : {}),
})

const renaming = (file: string) => {
  const [domain = '', name = ''] = file.split('/')
  const rename = `${domain}/${properSlug(name)}.md`
  return { file, etag: '', rename, changes: [`renamed to ${rename}`] }
}

const describeOrphan = (index: ArchiveIndex, note: IndexedNote): Finding[] => {
  if (index.backlinksOf(keyOf(note)).length > 0) return []
  if ([...linkedFrom(index, note)].some((other) => !isMap(other))) return []
  return [
    { kind: 'orphan', file: fileOf(note), message: 'no note links to it and it links to none' },
  ]
}

const toCompared = (note: IndexedNote, files: ReadonlyMap<string, NoteFile>) => {
  const file = files.get(keyOf(note))
  if (file === undefined) return []
  const { domain, slug, title } = note
  return [{ domain, slug, title, body: file.text.slice(splitFrontMatter(file.text).bodyStart) }]
}
