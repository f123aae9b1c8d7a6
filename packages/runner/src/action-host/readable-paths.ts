import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HOST_PROGRAM } from './host-program.ts'

/**
 * What a host may read: its own program, the action's folder, `lib` beside the folder of all actions,
 * and the packages that Node would find from there, also those that are linked.
 */
export const readablePaths = (file: string): string[] => {
  const folder = dirname(file)
  const lib = join(dirname(dirname(folder)), 'lib')
  const packages = above(folder)
    .map((each) => join(each, 'node_modules'))
    .filter(existsSync)
  const paths = [
    dirname(HOST_PROGRAM),
    folder,
    ...(existsSync(lib) ? [lib] : []),
    ...packages,
    ...packages.flatMap(linkedPackages),
  ]
  return [...new Set(paths.flatMap((path) => [path, realpathSync(path)]))]
}

const above = (folder: string): string[] => {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...above(parent)]
}

/** The contract of a clone is a link to its sources; other workspaces are not for actions. */
const LINKED = ['@steward/contract']

const linkedPackages = (packages: string): string[] =>
  LINKED.map((name) => join(packages, name))
    .filter((path) => existsSync(path) && isLink(path))
    .map((path) => realpathSync(path))

const isLink = (path: string): boolean => realpathSync(path) !== path
