import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, reasonOf } from '@steward/contract'
import { codeOf } from '@steward/platform'

/** A file of a folder of notes; `path` is relative, with `/` between its parts. */
export interface FolderFile {
  path: string
  bytes: number
  writtenMs: number
}

/** A file or folder that is not imported, with the reason for people. */
export interface SkippedFile {
  file: string
  reason: string
}

export interface WalkedFolder {
  notes: FolderFile[]
  /** Regular files that are not Markdown. */
  others: FolderFile[]
  skipped: SkippedFile[]
}

const DEEPEST = 32
const MOST_FILES = 100_000
const MARKDOWN = /\.(?:md|markdown)$/i

/**
 * Lists the files of a folder, sorted by path. Symbolic links are never followed, and hidden files
 * (such as `.obsidian`) and `node_modules` are left out.
 */
export const walkFolder = (root: string): WalkedFolder => {
  const walked: WalkedFolder = { notes: [], others: [], skipped: [] }
  const skip = (file: string, reason: string): void => void walked.skipped.push({ file, reason })
  let count = 0

  const takeFile = (path: string): void => {
    const found = lstatSync(join(root, path), { throwIfNoEntry: false })
    if (found === undefined) return
    if (++count > MOST_FILES) {
      if (count === MOST_FILES + 1) skip(path, `it and later files: over ${MOST_FILES} files`)
      return
    }
    const file = { path, bytes: found.size, writtenMs: found.mtimeMs }
    if (!MARKDOWN.test(path)) walked.others.push(file)
    else if (found.size > LIMITS.noteBytes) {
      skip(path, `it has ${found.size} bytes; the limit is ${LIMITS.noteBytes}`)
    } else walked.notes.push(file)
  }
  const lookInto = (folder: string, depth: number): void => {
    for (const entry of listEntries(root, folder, skip)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isSymbolicLink()) skip(path, 'it is a symbolic link; those are not followed')
      else if (entry.isDirectory()) {
        if (depth < DEEPEST) lookInto(path, depth + 1)
        else skip(path, `it is more than ${DEEPEST} folders deep`)
      } else if (entry.isFile()) takeFile(path)
      else skip(path, 'it is not a regular file')
    }
  }
  lookInto('', 0)
  return walked
}

const listEntries = (
  root: string,
  folder: string,
  skip: (file: string, reason: string) => void,
): Dirent[] => {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (thrown) {
    if (folder === '') throw thrown
    skip(folder, `it cannot be read: ${codeOf(thrown) ?? reasonOf(thrown)}`)
    return []
  }
}
