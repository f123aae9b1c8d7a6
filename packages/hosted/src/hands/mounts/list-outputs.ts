import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { StewardError } from '@steward/contract'
import { codeOf, isAbsent } from '@steward/platform'

/** An output file of a session. */
export interface OutputFile {
  /** Relative to the output folder. */
  path: string
  sizeBytes: number
  modifiedAtMs: number
}

const MOST_OUTPUTS = 1000
const MOST_DEPTH = 32

/**
 * The files in a session's output folder, sorted by path. Does not follow links; skips sockets,
 * pipes and other special files.
 */
export const listOutputs = async (folder: string, most = MOST_OUTPUTS): Promise<OutputFile[]> => {
  const found: OutputFile[] = []
  const walk = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch(noneIfGone)
    for (const entry of entries) {
      if (found.length >= most) return
      const path = join(at, entry.name)
      if (entry.isDirectory() && depth < MOST_DEPTH) await walk(path, depth + 1)
      if (!entry.isFile()) continue
      const info = await lstat(path).catch(noneIfGone)
      if (Array.isArray(info) || !info.isFile()) continue
      found.push({
        path: relative(folder, path),
        sizeBytes: info.size,
        modifiedAtMs: Math.floor(info.mtimeMs),
      })
    }
  }
  await walk(folder, 0)
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * Opens an output for reading. The session may swap in a link at any moment, so the opened file
 * must be the one at that path inside the folder.
 */
export const openOutput = async (folder: string, path: string): Promise<FileHandle> => {
  const whole = join(folder, path)
  const refuse = (reason: string) => new StewardError('path_refused', { path, reason })
  if (!whole.startsWith(folder + sep)) throw refuse('it is outside the output folder')
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((thrown: unknown) => {
    throw new StewardError('path_refused', { path, reason: 'it does not exist as a file' }, thrown)
  })
  try {
    const [opened, real, root] = await Promise.all([file.stat(), realpath(whole), realpath(folder)])
    const there = await lstat(real)
    if (!opened.isFile()) throw refuse('it is not a file')
    const isSame = opened.ino === there.ino && opened.dev === there.dev
    if (real !== join(root, path) || !isSame) throw refuse('its path contains a link')
    return file
  } catch (thrown) {
    await file.close()
    throw thrown
  }
}

/** A session goes on while its files are listed. */
const noneIfGone = (thrown: unknown): never[] => {
  if (isAbsent(thrown) || codeOf(thrown) === 'EACCES') return []
  throw thrown
}
