import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { HostPlace } from '../assistant.ts'

/** The path of the first of these commands that is on the PATH. */
export const findCommand = (
  { env }: Pick<HostPlace, 'env'>,
  names: readonly string[],
): string | undefined => {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable)
    if (found !== undefined) return found
  }
  return undefined
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return false
    throw thrown
  }
}
