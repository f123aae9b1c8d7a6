import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where a path really leads. Of one that is not there yet the folder is followed; else it is the path itself. */
export const realPathOf = (path: string): string =>
  follow(path) ?? join(follow(dirname(path)) ?? dirname(path), basename(path))

const follow = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return undefined
    throw thrown
  }
}
