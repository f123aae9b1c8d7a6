import { mkdirSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type FrontMatterChanges,
  type KnowledgeDomain,
  StewardError,
  setFrontMatter,
  splitFrontMatter,
  toStewardError,
} from '@steward/contract'
import { type ArchivePlace, withArchiveLock } from '../files/archive-place.ts'
import { checkFolder, type NoteFile, readNoteFile } from '../files/read-note-file.ts'
import type { ArchiveIndex, IndexedNote } from '../index/archive-index.ts'
import type { LoadedArchive } from '../index/load-archive.ts'
import type { NoteLink } from '../links/find-links.ts'
import { relink } from '../links/relink.ts'
import { fileOf, keyOf, type NotePlace } from '../note-place.ts'
import { headingOf } from '../parse-note.ts'
import { slugify } from '../slugify.ts'
import { checkText } from './check-text.ts'
import { checkFreeName, checkTitle } from './create-note.ts'
import { checkPrecondition, notFound, type Precondition } from './preconditions.ts'
import { putText } from './put-text.ts'

export interface Renaming {
  title?: string | undefined
  slug?: string | undefined
  domain?: KnowledgeDomain | undefined
}

export interface Renamed {
  place: NotePlace
  file: NoteFile
  /** Notes whose links were changed. */
  relinked: NotePlace[]
}

/**
 * Changes the title, slug or domain of a note. Its old names become aliases before anything moves,
 * so that an interruption at any point breaks no link; then links in other notes are rewritten,
 * each note atomically.
 */
export const renameNote = (
  archive: ArchivePlace,
  loaded: LoadedArchive,
  from: NotePlace,
  renaming: Renaming & Precondition,
  now: () => Date,
): Promise<Renamed> =>
  withArchiveLock(archive, async () => {
    const { root } = archive
    await loaded.refresh()
    const current = readNoteFile(root, from)
    const note = loaded.index.get(keyOf(from))
    if (current === undefined || note === undefined) throw notFound(from)
    checkPrecondition(from, current, renaming)
    const to = targetOf(from, renaming)
    const moves = keyOf(from) !== keyOf(to)
    if (moves) checkFreeName(root, to)
    const before = resolutions(loaded.index)
    const text = setFrontMatter(
      renaming.title === undefined ? current.text : retitle(current.text, note, renaming.title),
      { ...fieldsAfter(note, to, renaming.title), updated: now().toISOString() },
    )
    checkText(text, fileOf(to))
    const renamed = await putText(root, from, text, current)
    if (moves) await move(root, from, to)
    await loaded.refresh()
    const relinked = await relinkAll(root, loaded, { from, to }, before)
    return { place: to, file: readNoteFile(root, to) ?? renamed, relinked }
  })

const targetOf = (from: NotePlace, { title, slug, domain }: Renaming): NotePlace => {
  if (title === undefined && slug === undefined && domain === undefined) {
    const reason = 'give a title, a slug or a domain'
    throw new StewardError('invalid_input', { subject: 'renaming', reason })
  }
  const byTitle = title === undefined ? from.slug : slugify(checkTitle(title))
  return { domain: domain ?? from.domain, slug: slug ?? byTitle }
}

const fieldsAfter = (
  note: IndexedNote,
  to: NotePlace,
  title: string | undefined,
): FrontMatterChanges => {
  const old = [
    ...(note.domain === to.domain ? [] : [keyOf(note)]),
    ...(note.slug === to.slug ? [] : [note.slug]),
    ...(title === undefined || title === note.title ? [] : [note.title]),
  ]
  const aliases = [...new Set([...note.aliases, ...old])].filter((name) => name !== to.slug)
  return {
    ...(title === undefined ? {} : { title: checkTitle(title) }),
    ...(old.length === 0 ? {} : { aliases }),
  }
}

/** The heading is updated if it equals the title. */
const retitle = (text: string, note: IndexedNote, title: string): string => {
  const { bodyStart } = splitFrontMatter(text)
  const body = text.slice(bodyStart)
  if (headingOf(body) !== note.title) return text
  const renamed = body.replace(HEADING_LINE, (line) => line.replace(note.title, () => title))
  return text.slice(0, bodyStart) + renamed
}

const HEADING_LINE = /^#[ \t]+\S.*$/m

/** Each note with its link targets before the move. */
type Resolutions = ReadonlyMap<string, ReadonlyMap<string, string>>

const resolutions = (index: ArchiveIndex): Resolutions =>
  new Map(
    [...index.notes(), ...index.maps()].map((note) => [
      keyOf(note),
      new Map(
        note.targets.flatMap((target) => {
          const found = index.resolve(target, note.domain)
          return found === undefined ? [] : [[target, keyOf(found)]]
        }),
      ),
    ]),
  )

/**
 * Every link keeps its target: the renamed note, or another note whose link the new name would
 * otherwise capture.
 */
const relinkAll = async (
  root: string,
  { index, look }: LoadedArchive,
  { from, to }: { from: NotePlace; to: NotePlace },
  before: Resolutions,
): Promise<NotePlace[]> => {
  const relinked: NotePlace[] = []
  for (const note of [...index.notes(), ...index.maps()]) {
    const isRenamed = keyOf(note) === keyOf(to)
    const led = before.get(isRenamed ? keyOf(from) : keyOf(note))
    if (led === undefined) continue
    const newPlace = ({
      target,
      kind,
    }: Pick<NoteLink, 'target' | 'kind'>): NotePlace | undefined => {
      const wanted = led.get(target)
      if (wanted === undefined) return undefined
      const leads = wanted === keyOf(from) ? to : index.get(wanted)
      const moved = wanted === keyOf(from) && namesOldPlace(target, from)
      const hasNewFolder = isRenamed && kind === 'markdown' && from.domain !== to.domain
      const now = index.resolve(target, note.domain)
      const changed = now === undefined || leads === undefined || keyOf(now) !== keyOf(leads)
      return leads !== undefined && (moved || hasNewFolder || changed) ? leads : undefined
    }
    const concerns = (target: string) => newPlace({ target, kind: 'wiki' }) !== undefined
    if (!isRenamed && !note.targets.some(concerns)) continue
    const current = readNoteFile(root, note)
    if (current === undefined) continue
    const domains = { from: isRenamed ? from.domain : note.domain, to: note.domain }
    const text = relink(current.text, domains, newPlace)
    if (text === current.text) continue
    await putText(root, note, text, current)
    look({ domain: note.domain, slug: note.slug })
    if (!isRenamed) relinked.push({ domain: note.domain, slug: note.slug })
  }
  return relinked
}

const namesOldPlace = (target: string, from: NotePlace): boolean => {
  const folded = target.toLowerCase()
  return folded === from.slug || folded === keyOf(from).toLowerCase()
}

const move = async (root: string, from: NotePlace, to: NotePlace): Promise<void> => {
  const path = join(root, fileOf(to))
  try {
    mkdirSync(join(root, to.domain), { recursive: true, mode: 0o700 })
    checkFolder(root, to.domain)
    await rename(join(root, fileOf(from)), path)
  } catch (thrown) {
    throw toStewardError(thrown, 'storage_failed', { path })
  }
}
