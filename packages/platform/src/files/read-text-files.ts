import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { reasonOf, StewardError } from '@steward/contract'
import { isMissing } from '../error-code.ts'

/** The files of a folder with an extension, by name; empty if the folder is missing. */
export const readTextFiles = async (
  folder: string,
  ending: string,
): Promise<{ path: string; text: string }[]> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const names = entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith(ending))
      .map(({ name }) => name)
      .sort()
    return await Promise.all(
      names.map(async (name) => {
        const path = join(folder, name)
        return { path, text: await readFile(path, 'utf8') }
      }),
    )
  } catch (thrown) {
    if (isMissing(thrown)) return []
    throw new StewardError('path_refused', { path: folder, reason: reasonOf(thrown) }, thrown)
  }
}
