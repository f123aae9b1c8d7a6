import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The files of a clone that a command needs. */
const FILES = ['library', 'packages', 'schemas', 'scripts', 'package.json', 'tsconfig.json']
const OWN_PACKAGES = '@steward'

/**
 * A fresh clone in a temporary folder: its own sources, linked third-party packages, and nothing
 * built.
 */
export const makeClone = (without: readonly string[] = []): string => {
  const clone = mkdtempSync(join(tmpdir(), 'steward-clone-'))
  for (const file of FILES) {
    cpSync(join(root, file), join(clone, file), {
      recursive: true,
      filter: (path) =>
        !/\/(node_modules|dist|packages\/dashboard|testing)(\/|$)|\.test\.ts$/.test(path),
    })
  }
  linkPackages('.', clone, without)
  for (const name of readdirSync(join(clone, 'packages'))) {
    linkPackages(join('packages', name), clone, without)
  }
  return clone
}

const linkPackages = (folder: string, clone: string, without: readonly string[]): void => {
  const from = join(root, folder, 'node_modules')
  const to = join(clone, folder, 'node_modules')
  for (const name of readdirIfAny(from)) {
    if (without.includes(name)) continue
    mkdirSync(to, { recursive: true })
    // Links to our own packages are relative, so they lead into the new clone.
    if (name === OWN_PACKAGES)
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}

const readdirIfAny = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
