import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { codeOf } from '../error-code.ts'

export interface Confinement {
  /** Folders a path may be in. A relative path is below the first. */
  roots: readonly [string, ...string[]]
  /** Folders and files that stay closed, wherever they are. */
  never?: readonly string[]
}

/**
 * The real path of a file that exists or is about to be created, with every symbolic link resolved.
 * Throws `path_refused` when it is not inside one of the roots, so neither `..` nor a planted link
 * leads out.
 */
export const confinePath = async (
  path: string,
  { roots, never = [] }: Confinement,
): Promise<string> => {
  const refuse = (reason: string, cause?: unknown) =>
    new StewardError('path_refused', { path: JSON.stringify(path), reason }, cause)
  if (path === '') throw refuse('it is empty')
  if (path.includes('\0')) throw refuse('it contains a NUL character')
  try {
    const real = await resolveLinks(resolve(roots[0], path))
    const [realRoots, closed] = await Promise.all([
      Promise.all(roots.map(resolveLinks)),
      Promise.all(never.map(resolveLinks)),
    ])
    if (!realRoots.some((root) => real !== root && isInside(root, real))) {
      throw refuse(`it is outside of ${roots.join(', ')}`)
    }
    if (closed.some((place) => isInside(place, real))) throw refuse('it belongs to Steward itself')
    return real
  } catch (thrown) {
    if (thrown instanceof StewardError) throw thrown
    throw refuse(reasonOf(thrown), thrown)
  }
}

/** Whether a path is a folder or lies below it; both must be absolute. */
export const isInside = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}

const MOST_LINKS = 40

/** Like `realpath`, but the file and its last folders need not exist yet. */
const resolveLinks = async (path: string, links = 0): Promise<string> => {
  try {
    return await realpath(path)
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT' || dirname(path) === path) throw thrown
  }
  const folder = await resolveLinks(dirname(path), links)
  const place = join(folder, basename(path))
  const target = await readTarget(place)
  if (target === undefined) return place
  if (links >= MOST_LINKS) throw new Error('too many symbolic links')
  return resolveLinks(resolve(folder, target), links + 1)
}

/** Where a link leads that leads to nothing: writing to it would create a file there. */
const readTarget = async (path: string): Promise<string | undefined> => {
  try {
    return await readlink(path)
  } catch (thrown) {
    const code = codeOf(thrown)
    if (code === 'ENOENT' || code === 'EINVAL') return undefined
    throw thrown
  }
}
