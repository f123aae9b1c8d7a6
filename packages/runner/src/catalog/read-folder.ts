import type { Dirent } from 'node:fs'
import { readdirSync } from 'node:fs'
import { isAbsent } from '@steward/platform'

/** The entries of a folder in name order; empty if the folder does not exist. */
export const readFolder = (path: string): Dirent[] => {
  try {
    return readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}
