import type { Dirent } from 'node:fs'
import { readdirSync } from 'node:fs'

/** The entries of a folder in name order; none when there is no such folder. */
export const readFolder = (path: string): Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
