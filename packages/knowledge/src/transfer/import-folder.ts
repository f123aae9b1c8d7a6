import { lstatSync, realpathSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import {
  type KnowledgeDomain,
  readFrontMatter,
  reasonOf,
  StewardError,
  toStewardError,
} from '@steward/contract'
import type { Home } from '@steward/platform'
import { readSourceFile } from '../documents/read-source-file.ts'
import { archiveAt, withArchiveLock } from '../notes/files/archive-place.ts'
import { etagOf, readNoteFile } from '../notes/files/read-note-file.ts'
import type { LoadedArchive } from '../notes/index/load-archive.ts'
import { fileOf, type NotePlace } from '../notes/note-place.ts'
import { slugify } from '../notes/slugify.ts'
import { checkText } from '../notes/write/check-text.ts'
import { putText } from '../notes/write/put-text.ts'
import { convertNote, ORIGIN } from './convert-note.ts'
import { copyFiles } from './copy-attachments.ts'
import {
  type AmbiguousLink,
  ATTACHMENTS,
  createLinkResolver,
  type LinkedText,
} from './folder-links.ts'
import { describeFolderNote, type FolderNote } from './folder-note.ts'
import { type ImportLedger, openImportLedger } from './import-ledger.ts'
import { adoptMoved, planPlaces } from './plan-places.ts'
import { type FolderFile, type SkippedFile, walkFolder } from './walk-folder.ts'

/**
 * `added`, `updated`: written. `unchanged`: as imported before. `kept`: changed or removed in the
 * archive since, which stays so.
 */
interface ImportedFile {
  path: string
  file: string
  outcome: 'added' | 'updated' | 'unchanged' | 'kept'
}

export interface FolderImport {
  name: string
  notes: ImportedFile[]
  attachments: string[]
  /** Files that were not imported, and what is wrong in files that were. */
  skipped: SkippedFile[]
  problems: SkippedFile[]
  /** Notes whose file is no longer in the folder; they stay in the archive. */
  gone: string[]
}

export interface ImportPorts {
  home: Pick<Home, 'knowledge' | 'databases' | 'stateDir'>
  loaded: LoadedArchive
  onProgress?: (done: number, total: number) => void
}

export interface ImportOptions {
  folder: string
  domain: KnowledgeDomain
  dryRun?: boolean
}

const SAVE_EVERY = 200
const AT_ONCE = 50

/**
 * Imports a folder of Markdown, such as an Obsidian vault. Importing again only writes what changed
 * in the folder, and never overwrites or restores what was changed or removed in the archive.
 */
export const importFolder = async (
  ports: ImportPorts,
  { folder, domain, dryRun = false }: ImportOptions,
): Promise<FolderImport> => {
  const { home, loaded, onProgress } = ports
  const root = checkRoot(folder, home.knowledge)
  const ledger = await openImportLedger(home, root, slugify(basename(root)))
  const walked = walkFolder(root)
  const result: FolderImport = {
    name: ledger.name,
    notes: [],
    attachments: [],
    skipped: [...walked.skipped],
    problems: [],
    gone: [],
  }
  const source = { root, key: basename(root) }
  const notes: FolderNote[] = []
  const total = walked.notes.length * 2
  for (const [at, file] of walked.notes.entries()) {
    const text = readOr(result.skipped, file.path, () => readSourceFile(source, file.path))
    if (text !== undefined && text.trim() === '') {
      result.skipped.push({ file: file.path, reason: 'it is empty' })
    } else if (text !== undefined) notes.push(describeFolderNote(text, file, domain))
    if (at % AT_ONCE === 0) {
      onProgress?.(at, total)
      await yieldToOthers()
    }
  }
  await loaded.refresh()
  adoptMoved(notes, ledger.notes)
  const places = planPlaces(notes, {
    index: loaded.index,
    imported: ledger.notes,
    cameFrom: (place, path) => originOf(home.knowledge, place) === `${ledger.name}/${path}`,
  })
  const placed = new Map(
    notes.flatMap((note) => {
      const place = places.get(note.path)
      return place === undefined ? [] : [[note.path, { note, place }] as const]
    }),
  )
  const others = new Map(walked.others.map((file) => [file.path, file]))
  const resolveLink = createLinkResolver(placed, [...others.keys()])
  const attachments = new Set<string>()
  let done = walked.notes.length
  for (const { note, place } of placed.values()) {
    const text = readOr(result.skipped, note.path, () => readSourceFile(source, note.path))
    if (text !== undefined) {
      const to = { place, folder: ledger.name, resolve: resolveLink }
      const converted = convertNote(text, note, to)
      for (const path of converted.attachments) attachments.add(path)
      result.problems.push(...problemsOf(note, converted))
      const written = await readOrAsync(result.skipped, note.path, () =>
        writeImported(home, ledger, { path: note.path, place, text: converted.text }, dryRun),
      )
      if (written !== undefined) result.notes.push(written)
    }
    if (++done % AT_ONCE === 0) onProgress?.(done, total)
    if (!dryRun && done % SAVE_EVERY === 0) await ledger.save()
  }
  const copied = copyFiles(
    [...attachments].flatMap((path) => others.get(path) ?? []),
    { from: root, to: join(home.knowledge, ATTACHMENTS, ledger.name), dryRun },
  )
  result.attachments = copied.copied
  result.skipped.push(...copied.skipped, ...unlinked(walked.others, attachments))
  const there = new Set(walked.notes.map(({ path }) => path))
  result.gone = [...ledger.notes].filter(([path]) => !there.has(path)).map(([, { file }]) => file)
  if (!dryRun) await ledger.save()
  onProgress?.(total, total)
  return result
}

const checkRoot = (folder: string, archive: string): string => {
  const refuse = (reason: string) =>
    new StewardError('invalid_input', { subject: folder, reason, field: 'folder' })
  const found = lstatSync(resolve(folder), { throwIfNoEntry: false })
  if (found === undefined) throw new StewardError('folder_not_found', { folder })
  const root = realpathSync(folder)
  if (!lstatSync(root).isDirectory()) throw refuse('it is not a folder')
  const own =
    lstatSync(archive, { throwIfNoEntry: false }) === undefined ? archive : realpathSync(archive)
  if (root === own || root.startsWith(`${own}/`) || own.startsWith(`${root}/`)) {
    throw refuse('it and the archive of your notes contain each other')
  }
  return root
}

const originOf = (root: string, place: NotePlace): string | undefined => {
  const file = readNoteFile(root, place)
  return file === undefined ? undefined : readFrontMatter(file.text).fields.get(ORIGIN)
}

const readOr = <T>(skipped: SkippedFile[], file: string, read: () => T): T | undefined => {
  try {
    return read()
  } catch (thrown) {
    skipped.push({ file, reason: reasonFor(thrown) })
    return undefined
  }
}

const readOrAsync = async <T>(
  skipped: SkippedFile[],
  file: string,
  write: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await write()
  } catch (thrown) {
    if (!(thrown instanceof StewardError) || thrown.code === 'storage_failed') throw thrown
    skipped.push({ file, reason: reasonFor(thrown) })
    return undefined
  }
}

const reasonFor = (thrown: unknown): string => {
  const { message, details } = toStewardError(thrown)
  return typeof details.reason === 'string' ? details.reason : message || reasonOf(thrown)
}

const writeImported = (
  home: ImportPorts['home'],
  ledger: ImportLedger,
  note: ConvertedNote,
  dryRun: boolean,
): Promise<ImportedFile> =>
  dryRun
    ? putImported(home, ledger, note, true)
    : withArchiveLock(archiveAt(home), () => putImported(home, ledger, note, false))

interface ConvertedNote {
  path: string
  place: NotePlace
  text: string
}

const putImported = async (
  home: ImportPorts['home'],
  { notes }: ImportLedger,
  { path, place, text }: ConvertedNote,
  dryRun: boolean,
): Promise<ImportedFile> => {
  const file = fileOf(place)
  checkText(text, path)
  const known = notes.get(path)
  const current = readNoteFile(home.knowledge, place)
  const wanted = etagOf(text)
  if (known?.etag === wanted || current?.etag === wanted) {
    notes.set(path, { file, etag: wanted })
    return { path, file, outcome: current === undefined ? 'kept' : 'unchanged' }
  }
  if (known !== undefined ? current?.etag !== known.etag : current !== undefined) {
    return { path, file, outcome: 'kept' }
  }
  if (!dryRun) {
    const written = await putText(home.knowledge, place, text, current)
    notes.set(path, { file, etag: written.etag })
  }
  return { path, file, outcome: current === undefined ? 'added' : 'updated' }
}

const problemsOf = (
  note: FolderNote,
  { broken, outside, ambiguous }: Pick<LinkedText, 'broken' | 'outside' | 'ambiguous'>,
): SkippedFile[] => {
  const reasons = [
    ...(note.fault === undefined ? [] : [note.fault]),
    ...broken.map((target) => `its link to ${target} leads to no file of the folder`),
    ...outside.map((target) => `its link to ${target} leads out of the folder and is left as text`),
    ...ambiguous.map(describeAmbiguous),
  ]
  return [...new Set(reasons)].map((reason) => ({ file: note.path, reason }))
}

const NAMED_OTHERS = 2
const sentenceList = new Intl.ListFormat('en-GB')

const describeAmbiguous = ({ target, candidates }: AmbiguousLink): string => {
  const [chosen = '', ...others] = candidates
  const left = others.length - NAMED_OTHERS
  const named = [...others.slice(0, NAMED_OTHERS), ...(left > 0 ? [`${left} more`] : [])]
  return `its link to ${target} leads to ${chosen}, but also fits ${sentenceList.format(named)}`
}

const unlinked = (files: readonly FolderFile[], linked: ReadonlySet<string>): SkippedFile[] =>
  files
    .filter(({ path }) => !linked.has(path))
    .map(({ path }) => ({ file: path, reason: 'it is not Markdown, and no note links to it' }))
