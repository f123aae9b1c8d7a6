import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where the files that ship with Steward are: in a clone its root, when installed the package's folder. */
export interface Installation {
  root: string
  library: string
  schemas: string
  types: string
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
  const inClone = join(root, 'packages', 'cli', 'types')
  return {
    root,
    library: join(root, 'library'),
    schemas: join(root, 'schemas'),
    types: existsSync(inClone) ? inClone : join(root, 'types'),
  }
}
