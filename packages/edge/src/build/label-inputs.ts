import { dirname, relative, resolve, sep } from 'node:path'
import type { RuntimeModules } from './runtime-modules.ts'

/** An input file: its path here, and its machine-independent name. */
export interface BundleInput {
  path: string
  label: string
}

interface Places {
  /** The folder that esbuild's names are relative to. */
  base: string
  modules: RuntimeModules
  folder: string | undefined
}

/**
 * esbuild writes each file's path into the bundle: in a comment above its code, and as the key of a
 * lazily loaded module. Paths depend on the machine, so each is replaced by a stable name.
 */
export const labelInputs = (
  code: string,
  names: readonly string[],
  places: Places,
): { code: string; inputs: BundleInput[] } => {
  const labels = new Map<string, string>()
  const inputs: BundleInput[] = []
  for (const name of names) {
    // A generated entry or a stand-in for a Node module is not a file.
    if (/^[a-z-]{2,}:/.test(name)) continue
    const path = resolve(places.base, name)
    const label = labelOf(path, places)
    labels.set(name, label)
    inputs.push({ path, label })
  }
  const rename = (whole: string, before: string, name: string, after: string) => {
    const label = labels.get(name)
    return label === undefined ? whole : `${before}${label}${after}`
  }
  return {
    code: code.replace(COMMENT, rename).replace(LATER_MODULE, rename),
    inputs: inputs.toSorted((a, b) => (a.label < b.label ? -1 : 1)),
  }
}

const COMMENT = /^(\s*\/\/ )(\S.*)()$/gm
const LATER_MODULE = /^(\s*")([^"\n]+)("\((?:exports\d*)?(?:, module\d*)?\) \{)$/gm

const labelOf = (path: string, { modules, folder }: Places): string => {
  if (folder !== undefined && isWithin(folder, path)) return posix(relative(folder, path))
  const installed = path.lastIndexOf(`${sep}node_modules${sep}`)
  if (installed >= 0) return posix(path.slice(installed + 1))
  // Our own packages and an action's neighbours keep their relative positions.
  const steward = resolve(dirname(modules.contract), '..', '..')
  if (folder === undefined || isWithin(steward, path))
    return `steward/${posix(relative(steward, path))}`
  return posix(relative(folder, path))
}

const isWithin = (folder: string, path: string): boolean => {
  const way = relative(folder, path)
  return way !== '' && !way.startsWith('..') && !way.startsWith(sep)
}

const posix = (path: string): string => path.split(sep).join('/')
