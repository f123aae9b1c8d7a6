import { constants } from 'node:fs'
import { type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import { LIMITS, type ReadFile, reasonOf, StewardError, toStewardError } from '@steward/contract'
import { isAbsent, isInside } from '@steward/platform'

export interface ReadFileOptions {
  maxBytes?: number
  /** Files and folders that no action may read, wherever they are, because they hold secrets. */
  never?: readonly string[]
}

/**
 * Reads text files under the given folders only, wherever links may point. A relative path is tried
 * in each folder in turn.
 */
export const createReadFile =
  (
    roots: readonly string[],
    { maxBytes = LIMITS.readFileBytes, never = [] }: ReadFileOptions = {},
  ): ReadFile =>
  async (path) => {
    checkSpelling(path)
    const real = await locate(path, roots)
    try {
      const secret = await Promise.all(never.map(realpathOrSelf))
      if (secret.some((place) => isInside(place, real))) throw refuse(path, 'it contains secrets')
      await checkKind(path, real)
      // NOFOLLOW and a second check of the path: nothing may have been swapped for a link
      // meanwhile.
      const file = await open(
        real,
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      )
      try {
        if ((await realpath(real)) !== real) throw refuse(path, 'it changed while it was opened')
        return decodeText(path, await readCapped(path, file, maxBytes))
      } finally {
        await file.close()
      }
    } catch (thrown) {
      throw toStewardError(thrown, 'path_refused', { path })
    }
  }

const refuse = (path: string, reason: string, cause?: unknown): StewardError =>
  new StewardError('path_refused', { path, reason }, cause)

const checkSpelling = (path: unknown): void => {
  if (typeof path !== 'string' || path === '') {
    const reason = 'needs a path, which must be a non-empty text'
    throw new StewardError('invalid_input', { subject: 'readFile', reason })
  }
  if (path.includes('\0')) throw refuse(JSON.stringify(path), 'it contains a NUL character')
  if (path.split(/[/\\]/).includes('..')) throw refuse(path, 'it must not contain ..')
}

const locate = async (path: string, roots: readonly string[]): Promise<string> => {
  const realRoots = await Promise.all(roots.map(realpathOrSelf))
  const candidates = isAbsolute(path) ? [path] : roots.map((root) => resolve(root, path))
  for (const candidate of candidates) {
    const real = await realpathIfThere(candidate, path)
    if (real === undefined) continue
    if (realRoots.some((root) => isInside(root, real))) return real
    throw refuse(path, outside(roots))
  }
  // Outside the roots even the absence of a file must not be revealed.
  const allRoots = [...roots, ...realRoots]
  if (!candidates.some((candidate) => allRoots.some((root) => isInside(root, candidate)))) {
    throw refuse(path, outside(roots))
  }
  const hint = isAbsolute(path) ? '' : ` (looked in ${roots.join(', ')})`
  throw new StewardError('not_found', { what: 'file', name: path, hint })
}

const outside = (roots: readonly string[]): string =>
  roots.length === 0 ? 'actions may not read any folder' : `it is outside ${roots.join(', ')}`

const realpathIfThere = async (candidate: string, path: string): Promise<string | undefined> => {
  try {
    return await realpath(candidate)
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined
    throw refuse(path, reasonOf(thrown), thrown)
  }
}

/** A root that does not exist yet is empty, not an error. */
const realpathOrSelf = async (root: string): Promise<string> =>
  (await realpathIfThere(root, root)) ?? resolve(root)

const checkKind = async (path: string, real: string): Promise<void> => {
  const info = await stat(real)
  if (info.isFile()) return
  throw refuse(path, info.isDirectory() ? 'it is a folder' : 'it is a device or pipe, not a file')
}

/**
 * Counts the bytes read rather than trusting the size, which is 0 for files of the system such as
 * /proc.
 */
const readCapped = async (path: string, file: FileHandle, maxBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of file.createReadStream({ autoClose: false, end: maxBytes })) {
    chunks.push(chunk)
    size += chunk.length
  }
  if (size > maxBytes) {
    const { size: whole } = await file.stat()
    throw new StewardError('payload_too_large', { subject: path, bytes: whole, limit: maxBytes })
  }
  return Buffer.concat(chunks)
}

const decodeText = (path: string, bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (thrown) {
    throw new StewardError(
      'rejected_content',
      { subject: path, reason: 'it is not UTF-8 text' },
      thrown,
    )
  }
}
