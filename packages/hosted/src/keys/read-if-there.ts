import { readFile } from 'node:fs/promises'
import { isJsonObject } from '@steward/contract'

/** The content of a file, or `undefined` if it does not exist. */
export const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (isJsonObject(thrown) && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}
