import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { isMissing } from '../error-code.ts'

/** The text of a file; undefined if it does not exist. */
export const readIfPresent = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

export const readIfPresentSync = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}

/** The names in a folder; none when there is no such folder. */
export const listIfPresent = async (
  folder: string,
  { recursive = false }: { recursive?: boolean } = {},
): Promise<string[]> => {
  try {
    return await readdir(folder, { recursive })
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}

export const listIfPresentSync = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw thrown
  }
}
