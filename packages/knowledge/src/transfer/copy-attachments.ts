import { constants, copyFileSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { reasonOf } from '@steward/contract'
import { codeOf } from '@steward/platform'
import type { FolderFile, SkippedFile } from './walk-folder.ts'

/** Larger files are listed instead of copied. */
const MOST_BYTES = 100 * 1024 * 1024

export interface CopiedFiles {
  copied: string[]
  skipped: SkippedFile[]
}

/**
 * Copies files from one folder to another, below the same paths. A file of the same size and time is
 * left as it is; a file that now leads out of its folder is refused.
 */
export const copyFiles = (
  files: readonly FolderFile[],
  { from, to, dryRun }: { from: string; to: string; dryRun: boolean },
): CopiedFiles => {
  const outcome: CopiedFiles = { copied: [], skipped: [] }
  const root = realpathSync(from)
  for (const { path, bytes } of files) {
    const source = join(from, path)
    const target = join(to, path)
    try {
      if (bytes > MOST_BYTES) throw new Error(`it has ${bytes} bytes; the limit is ${MOST_BYTES}`)
      const found = lstatSync(source)
      if (!found.isFile() || realpathSync(source) !== join(root, path))
        throw new Error('it leads out of the folder')
      const there = lstatSync(target, { throwIfNoEntry: false })
      if (there?.isFile() === true && there.size === found.size && there.mtimeMs >= found.mtimeMs)
        continue
      if (there !== undefined && !there.isFile()) throw new Error('its place is taken')
      if (!dryRun) {
        mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
        copyFileSync(source, target, constants.COPYFILE_FICLONE)
      }
      outcome.copied.push(path)
    } catch (thrown) {
      outcome.skipped.push({ file: path, reason: codeOf(thrown) ?? reasonOf(thrown) })
    }
  }
  return outcome
}
