import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The location of the files that ship with Steward: the root of a clone, or the package's folder.
 */
export interface Installation {
  root: string
  isClone: boolean
  library: string
  schemas: string
  types: string
  /** The built dashboard. */
  dashboard: string
}

export const findInstallation = (from: string = import.meta.dirname): Installation => {
  for (let folder = from; ; folder = dirname(folder)) {
    const library = join(folder, 'library')
    if (existsSync(join(library, 'actions'))) return installationAt(folder)
    if (folder === dirname(folder)) {
      throw new Error(
        `the library that ships with Steward is missing: nothing above ${from} has it`,
      )
    }
  }
}

const installationAt = (root: string): Installation => {
  const packages = join(root, 'packages')
  const isClone = existsSync(packages)
  return {
    root,
    isClone,
    library: join(root, 'library'),
    schemas: join(root, 'schemas'),
    types: isClone ? join(packages, 'cli', 'types') : join(root, 'types'),
    dashboard: isClone ? join(packages, 'dashboard', 'dist') : join(root, 'dashboard'),
  }
}
