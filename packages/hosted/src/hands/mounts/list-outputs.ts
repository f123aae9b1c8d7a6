import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { StewardError } from '@steward/contract'

/** A file that a session has put out. */
export interface OutputFile {
  /** From the outputs' folder. */
  path: string
  sizeBytes: number
  modifiedAtMs: number
}

const MOST_FILES = 1000
const MOST_DEPTH = 32

/**
 * The files below a session's folder of outputs, in the order of their paths. Links are not followed,
 * and what is no file (sockets, pipes) is left out.
 */
export const listOutputs = async (folder: string): Promise<OutputFile[]> => {
  const found: OutputFile[] = []
  const walk = async (at: string, depth: number): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true }).catch(noneIfGone)
    for (const entry of entries) {
      if (found.length >= MOST_FILES) return
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
 * Opens one of them for reading. The session may put a link in its place at any moment: what was
 * really opened must be the very file that lies at that path inside of the folder.
 */
export const openOutput = async (folder: string, path: string): Promise<FileHandle> => {
  const whole = join(folder, path)
  const refuse = (reason: string) => new StewardError('path_refused', { path, reason })
  if (!whole.startsWith(folder + sep)) throw refuse('it is outside of the outputs')
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((thrown: unknown) => {
    throw new StewardError('path_refused', { path, reason: 'it is not there as a file' }, thrown)
  })
  try {
    const [opened, real, root] = await Promise.all([file.stat(), realpath(whole), realpath(folder)])
    const there = await lstat(real)
    if (!opened.isFile()) throw refuse('it is not a file')
    const isSame = opened.ino === there.ino && opened.dev === there.dev
    if (real !== join(root, path) || !isSame) throw refuse('a link leads to it')
    return file
  } catch (thrown) {
    await file.close()
    throw thrown
  }
}

/** A session goes on while its files are listed. */
const noneIfGone = (thrown: NodeJS.ErrnoException): never[] => {
  if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(thrown.code ?? '')) return []
  throw thrown
}
