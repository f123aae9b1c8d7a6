import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf } from '@steward/platform'

/**
 * Resolves symbolic links. For a missing path its folder is resolved, or else the path itself is
 * returned.
 */
export const realPathOf = (path: string): string =>
  follow(path) ?? join(follow(dirname(path)) ?? dirname(path), basename(path))

const follow = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch (thrown) {
    if (codeOf(thrown) !== undefined) return undefined
    throw thrown
  }
}
