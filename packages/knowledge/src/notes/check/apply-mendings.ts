import { lstatSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type FrontMatterChanges,
  readFrontMatter,
  reasonOf,
  setFrontMatter,
  splitFrontMatter,
} from '@steward/contract'
import { type ArchivePlace, withArchiveLock } from '../files/archive-place.ts'
import { readNoteFile } from '../files/read-note-file.ts'
import { parseKey } from '../note-place.ts'
import { headingOf, parseNote } from '../parse-note.ts'
import { checkFreeName, foldFile } from '../write/create-note.ts'
import { putText } from '../write/put-text.ts'
import type { Mending } from './findings.ts'

export interface MendingOutcome {
  file: string
  changes: string[]
  /** Why it was not changed. */
  fault?: string
}

/** Applies the proposed fixes, each file atomically; files changed since the check are skipped. */
export const applyMendings = (
  archive: ArchivePlace,
  mendings: readonly Mending[],
): Promise<MendingOutcome[]> =>
  withArchiveLock(archive, async () => {
    const outcomes: MendingOutcome[] = []
    for (const mending of mendings) {
      const { file, changes } = mending
      try {
        await (mending.rename === undefined
          ? putMended(archive.root, mending)
          : renameFile(archive.root, mending.file, mending.rename))
        outcomes.push({ file, changes })
      } catch (thrown) {
        outcomes.push({ file, changes, fault: reasonOf(thrown) })
      }
    }
    return outcomes
  })

const putMended = async (root: string, { file, etag, text }: Mending): Promise<void> => {
  const place = parseKey(file)
  const current = place === undefined ? undefined : readNoteFile(root, place)
  if (place === undefined || current?.etag !== etag || text === undefined) {
    throw new Error('it changed since it was checked')
  }
  await putText(root, place, text, current)
}

/** The old name becomes an alias, so that links to it keep working. */
const renameFile = async (root: string, from: string, to: string): Promise<void> => {
  const place = parseKey(to)
  const found = lstatSync(join(root, from), { throwIfNoEntry: false })
  if (place === undefined || found === undefined || !found.isFile()) {
    throw new Error('it is no longer a regular file')
  }
  const there = lstatSync(join(root, to), { throwIfNoEntry: false })
  // On case-insensitive file systems the new name may be the same file.
  if (there === undefined ? foldFile(from) !== foldFile(to) : there.ino !== found.ino) {
    checkFreeName(root, place)
  }
  await rename(join(root, from), join(root, to))
  const file = readNoteFile(root, place)
  if (file === undefined) return
  const old = (from.split('/').at(-1) ?? '').replace(/\.md$/i, '').normalize('NFC')
  const { aliases } = parseNote(file.text, place, file.writtenMs)
  // Without a heading the old name is its title, which the slug could not express.
  const isUntitled =
    !readFrontMatter(file.text).fields.get('title') && headingOf(bodyOf(file.text)) === undefined
  const title: FrontMatterChanges = isUntitled ? { title: old.replaceAll('_', ' ').trim() } : {}
  await putText(
    root,
    place,
    setFrontMatter(file.text, { ...title, aliases: [...new Set([...aliases, old])] }),
    file,
  )
}

const bodyOf = (text: string): string => text.slice(splitFrontMatter(text).bodyStart)
