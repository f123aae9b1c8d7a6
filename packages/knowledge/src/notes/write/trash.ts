import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  KNOWLEDGE_DOMAINS,
  type KnowledgeDomain,
  StewardError,
  type TrashedNote,
} from '@steward/contract'
import { isMissing, storageErrorOf, writeFileAtomically } from '@steward/platform'
import { type ArchivePlace, withArchiveLock } from '../files/archive-place.ts'
import { checkFolder, type NoteFile, readNoteFile } from '../files/read-note-file.ts'
import { fileOf, type NotePlace } from '../note-place.ts'
import { parseNote } from '../parse-note.ts'
import { checkFreeName } from './create-note.ts'
import { checkPrecondition, notFound, type Precondition } from './preconditions.ts'

const FOLDER = '.trash'
/** `slug~20260301T101500000Z.md`; slugs contain no tilde. */
const NAME = /^(_?[a-z0-9][a-z0-9-]*)~((\d{8})T(\d{9})Z(?:-\d+)?)\.md$/
const SHOWN = 500

/** Moves a note to the trash. */
export const removeNote = (
  archive: ArchivePlace,
  place: NotePlace,
  precondition: Precondition,
  now: () => Date,
): Promise<TrashedNote> =>
  withArchiveLock(archive, async () => {
    const current = readNoteFile(archive.root, place)
    if (current === undefined) throw notFound(place)
    checkPrecondition(place, current, precondition)
    return moveToTrash(archive, place, current, now())
  })

/** The caller holds the lock. The file itself is moved, so that concurrent writes go with it. */
const moveToTrash = async (
  { root }: ArchivePlace,
  place: NotePlace,
  file: NoteFile,
  at: Date,
): Promise<TrashedNote> => {
  const version = freeVersion(root, place, at)
  await move(join(root, fileOf(place)), join(root, trashFile(place, version)))
  return describe(place, version, file)
}

/** Copies a text that is about to be replaced. */
export const keepInTrash = async (
  { root }: ArchivePlace,
  place: NotePlace,
  file: NoteFile,
  at: Date,
): Promise<TrashedNote> => {
  const version = freeVersion(root, place, at)
  await writeFileAtomically(join(root, trashFile(place, version)), file.text)
  return describe(place, version, file)
}

/** Everything in the trash, newest first. */
export const listTrash = ({ root }: Pick<ArchivePlace, 'root'>): TrashedNote[] =>
  KNOWLEDGE_DOMAINS.flatMap((domain) => versionsIn(root, domain))
    .toSorted((a, b) => (a.version < b.version ? 1 : -1))
    .slice(0, SHOWN)
    .flatMap(({ domain, slug, version }) => {
      const file = readTrashed(root, { domain, slug }, version)
      return file === undefined ? [] : [describe({ domain, slug }, version, file)]
    })

/**
 * Restores the newest version of a name, or a given one. Replacing an existing note requires naming
 * its version.
 */
export const restoreNote = (
  archive: ArchivePlace,
  place: NotePlace,
  { version, ...precondition }: Precondition & { version?: string | undefined },
  now: () => Date,
): Promise<NoteFile> =>
  withArchiveLock(archive, async () => {
    const { root } = archive
    const [newest] = versionsIn(root, place.domain)
      .filter(({ slug }) => slug === place.slug)
      .map((each) => each.version)
      .toSorted()
      .reverse()
    const wanted = version ?? newest
    if (wanted === undefined || !NAME.test(`${place.slug}~${wanted}.md`)) throw notInTrash(place)
    if (readTrashed(root, place, wanted) === undefined) throw notInTrash(place)
    const current = readNoteFile(root, place)
    if (current === undefined) checkFreeName(root, place)
    else if (precondition.ifMatch === undefined) {
      const hint = '; name its version (If-Match) to put it into the trash'
      throw new StewardError('already_exists', { subject: fileOf(place), hint })
    } else {
      checkPrecondition(place, current, precondition)
      await moveToTrash(archive, place, current, now())
    }
    await move(join(root, trashFile(place, wanted)), join(root, fileOf(place)))
    const restored = readNoteFile(root, place)
    if (restored === undefined) throw notFound(place)
    return restored
  })

/**
 * Permanently deletes notes from the trash: those older than an instant, or all. Returns their
 * number.
 */
export const emptyTrash = (
  archive: ArchivePlace,
  { beforeMs = Number.POSITIVE_INFINITY }: { beforeMs?: number | undefined } = {},
): Promise<number> =>
  withArchiveLock(archive, async () => {
    const { root } = archive
    let count = 0
    for (const domain of KNOWLEDGE_DOMAINS) {
      for (const { slug, version } of versionsIn(root, domain)) {
        if (Date.parse(momentOf(version)) >= beforeMs) continue
        await rm(join(root, trashFile({ domain, slug }, version)), { force: true })
        count++
      }
    }
    return count
  })

const trashFile = ({ domain, slug }: NotePlace, version: string): string =>
  `${FOLDER}/${domain}/${slug}~${version}.md`

/** A trash folder that is a symbolic link would carry notes out of the archive. */
const checkTrash = (root: string): void => {
  const found = lstatSync(join(root, FOLDER), { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return
  const reason = 'it is not a folder; symbolic links are not followed'
  throw new StewardError('rejected_content', { subject: FOLDER, reason })
}

const freeVersion = (root: string, place: NotePlace, at: Date): string => {
  checkTrash(root)
  mkdirSync(join(root, FOLDER, place.domain), { recursive: true, mode: 0o700 })
  checkFolder(join(root, FOLDER), place.domain)
  const stamp = at.toISOString().replaceAll(/[-:.]/g, '')
  const isTaken = (version: string) =>
    lstatSync(join(root, trashFile(place, version)), { throwIfNoEntry: false }) !== undefined
  let version = stamp
  for (let count = 2; isTaken(version); count++) version = `${stamp}-${count}`
  return version
}

const versionsIn = (root: string, domain: KnowledgeDomain): (NotePlace & { version: string })[] => {
  checkTrash(root)
  try {
    return readdirSync(join(root, FOLDER, domain)).flatMap((name) => {
      const [, slug, version] = NAME.exec(name) ?? []
      return slug === undefined || version === undefined ? [] : [{ domain, slug, version }]
    })
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}

const readTrashed = (root: string, place: NotePlace, version: string): NoteFile | undefined =>
  readNoteFile(join(root, FOLDER), { domain: place.domain, slug: `${place.slug}~${version}` })

const describe = (place: NotePlace, version: string, file: NoteFile): TrashedNote => ({
  ...place,
  title: parseNote(file.text, place, file.writtenMs).title,
  version,
  trashedAt: momentOf(version),
})

const momentOf = (version: string): string =>
  version.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, '$1-$2-$3T$4:$5:$6.$7Z')

const notInTrash = (place: NotePlace): StewardError =>
  new StewardError('not_found', { what: 'note in the trash', name: fileOf(place) })

const move = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to)
  } catch (thrown) {
    throw storageErrorOf(to, thrown)
  }
}
