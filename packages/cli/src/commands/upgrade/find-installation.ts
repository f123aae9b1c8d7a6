import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StewardError } from '@steward/contract'

export interface Installation {
  /** The folder of the package. */
  root: string
  /** What npm takes as `--prefix`. */
  prefix: string
  isGlobal: boolean
}

/** Where npm installed the program that was started by this launcher; a clone is not installed. */
export const findInstallation = (launcher: string): Installation => {
  const root = dirname(dirname(launcher))
  const modules = dirname(root)
  if (!existsSync(join(root, 'dist/program.json')) || basename(modules) !== 'node_modules') {
    throw new StewardError('not_available', {
      subject: 'steward upgrade',
      reason: 'this is not an installed package; in a clone: git pull && npm ci',
    })
  }
  const above = dirname(modules)
  const isGlobal = basename(above) === 'lib'
  return { root, prefix: isGlobal ? dirname(above) : above, isGlobal }
}
