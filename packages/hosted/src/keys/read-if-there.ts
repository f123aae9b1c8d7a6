import { readFile } from 'node:fs/promises'
import { isJsonObject } from '@steward/contract'

/** What a file says, or nothing when there is none. */
export const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (isJsonObject(thrown) && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
