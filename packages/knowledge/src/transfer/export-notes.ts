import { lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { readFrontMatter } from '@steward/contract'
import { confinePath, isMissing, writeFileAtomically } from '@steward/platform'
import { readNoteFile } from '../notes/files/read-note-file.ts'
import type { IndexedNote } from '../notes/index/archive-index.ts'
import type { LoadedArchive } from '../notes/index/load-archive.ts'
import { findLinks, type NoteLink } from '../notes/links/find-links.ts'
import { keyOf } from '../notes/note-place.ts'
import { ORIGIN } from './convert-note.ts'
import { copyFiles } from './copy-attachments.ts'
import { ATTACHMENTS } from './folder-links.ts'
import { type SkippedFile, walkFolder } from './walk-folder.ts'

export interface ExportedFile {
  note: string
  path: string
  outcome: 'written' | 'unchanged' | 'kept'
}

export interface NotesExport {
  notes: ExportedFile[]
  attachments: string[]
  skipped: SkippedFile[]
}

export interface ExportOptions {
  root: string
  loaded: LoadedArchive
  folder: string
  dryRun?: boolean
  /** Replace files that differ; otherwise they are kept and listed. */
  overwrite?: boolean
  onProgress?: (done: number, total: number) => void
}

/**
 * Writes all notes as a folder that Obsidian and other programs open: files named by title, links by
 * name. Imported notes get back their original path. Other files of the folder are not touched.
 */
export const exportNotes = async (options: ExportOptions): Promise<NotesExport> => {
  const { root, loaded, folder, dryRun = false, overwrite = false, onProgress } = options
  const notes = [...loaded.index.notes(), ...loaded.index.maps()].toSorted((a, b) =>
    keyOf(a) < keyOf(b) ? -1 : 1,
  )
  const paths = planPaths(root, notes)
  const result: NotesExport = { notes: [], attachments: [], skipped: [] }
  if (!dryRun) mkdirSync(folder, { recursive: true })
  for (const [at, note] of notes.entries()) {
    const path = paths.get(keyOf(note))
    const file = readNoteFile(root, note)
    if (path === undefined || file === undefined) continue
    const text = relinkForExport(file.text, note, path, (target) => {
      const found = loaded.index.resolve(target, note.domain)
      return found === undefined ? undefined : paths.get(keyOf(found))
    })
    const outcome = await writeExported(join(folder, path), text, { folder, dryRun, overwrite })
    result.notes.push({ note: keyOf(note), path, outcome })
    if (at % 50 === 0) {
      onProgress?.(at, notes.length)
      await yieldToOthers()
    }
  }
  onProgress?.(notes.length, notes.length)
  const from = join(root, ATTACHMENTS)
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() === true) {
    const { notes: texts, others, skipped } = walkFolder(from)
    const copied = copyFiles([...texts, ...others], {
      from,
      to: join(folder, ATTACHMENTS),
      dryRun,
    })
    result.attachments = copied.copied
    result.skipped = [...skipped, ...copied.skipped]
  }
  return result
}

/** File names that every common file system takes. */
const fileNameOf = (title: string): string =>
  title
    .normalize('NFC')
    .replaceAll(/[\\/:*?"<>|#^[\]\p{C}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[. ]+|[. ]+$/g, '')
    .slice(0, 120)
    .trim()

const planPaths = (root: string, notes: readonly IndexedNote[]): Map<string, string> => {
  const paths = new Map<string, string>()
  const taken = new Set<string>()
  for (const note of notes) {
    const name = fileNameOf(note.title) || note.slug
    const candidates = [
      originalPath(root, note),
      note.slug.startsWith('_') ? undefined : `${note.domain}/${name}.md`,
      `${keyOf(note)}.md`,
    ]
    const path = candidates.find((each) => each !== undefined && !taken.has(each.toLowerCase()))
    if (path === undefined) continue
    taken.add(path.toLowerCase())
    paths.set(keyOf(note), path)
  }
  return paths
}

/** The path of the imported file; a note may say anything there, so that only plain paths count. */
const originalPath = (root: string, note: IndexedNote): string | undefined => {
  const file = readNoteFile(root, note)
  const origin = file === undefined ? undefined : readFrontMatter(file.text).fields.get(ORIGIN)
  const path = origin?.split('/').slice(1).join('/')
  if (path === undefined || !/\.(?:md|markdown)$/i.test(path)) return undefined
  const parts = path.split('/')
  const isPlain = parts.every(
    (part) => part !== '' && !part.startsWith('.') && !/[\\\p{C}]/u.test(part) && part.length < 200,
  )
  return isPlain && parts.length <= 32 ? path : undefined
}

const relinkForExport = (
  text: string,
  note: IndexedNote,
  path: string,
  pathOf: (target: string) => string | undefined,
): string => {
  let relinked = ''
  let at = 0
  for (const link of findLinks(text, note.domain)) {
    const target = pathOf(link.target)
    if (target === undefined) continue
    relinked += text.slice(at, link.start) + writeLink(link, text, path, target)
    at = link.end
  }
  relinked += text.slice(at)
  const up = posix.relative(posix.dirname(path), ATTACHMENTS)
  return relinked.replaceAll(`](../${ATTACHMENTS}/`, `](${up}/`)
}

const writeLink = (link: NoteLink, text: string, from: string, target: string): string => {
  if (link.kind === 'markdown') {
    const path = posix.relative(posix.dirname(from), target)
    return path.split('/').map(encodeURIComponent).join('/')
  }
  const name = target.replace(/\.(?:md|markdown)$/i, '')
  const words = text.slice(link.start, link.end).trim()
  const hasLabel = !text.startsWith(']]', link.end)
  const shown = name.split('/').at(-1)
  return hasLabel || words === name || shown === words ? name : `${name}|${words}`
}

const writeExported = async (
  path: string,
  text: string,
  { folder, dryRun, overwrite }: { folder: string; dryRun: boolean; overwrite: boolean },
): Promise<ExportedFile['outcome']> => {
  const there = readIfThere(path)
  if (there === text) return 'unchanged'
  if (there !== undefined && !overwrite) return 'kept'
  if (dryRun) return 'written'
  mkdirSync(dirname(path), { recursive: true })
  await writeFileAtomically(await confinePath(path, { roots: [folder] }), text)
  return 'written'
}

const readIfThere = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}
