import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Home } from '../../home/home.ts'

/** File names of a specification; we write the first. */
export const SPECIFICATION_FILES = ['SPEC.md', 'ISA.md', 'PRD.md'] as const

export interface SpecificationPlace {
  path: string
  /** The folder's name: the slug if the file has none. */
  folder: string
  /** Relative to the data home's `MEMORY`, as in `work.json`. */
  stored: string
}

/** Whether a written file is a session's specification: `MEMORY/WORK/<slug>/SPEC.md`. */
export const locateSpecification = (
  home: Pick<Home, 'memory' | 'work'>,
  file: string,
): SpecificationPlace | undefined => {
  const path = resolve(home.work, file)
  const folder = dirname(path)
  if (dirname(folder) !== resolve(home.work)) return undefined
  if (!SPECIFICATION_FILES.some((name) => name === basename(path))) return undefined
  const stored = relative(home.memory, path).split(sep).join('/')
  return { path, folder: basename(folder), stored }
}

/** A stored path for dashboards: never absolute, never outside the data home. */
export const shownPath = (stored: string | undefined): string | undefined => {
  if (stored === undefined) return undefined
  const at = stored.lastIndexOf('/MEMORY/')
  const path = isAbsolute(stored) && at !== -1 ? stored.slice(at + 1) : stored
  if (isAbsolute(path) || path.startsWith('~') || /^[A-Za-z]:/.test(path)) return undefined
  return join('/', path) === `/${path}` ? path : undefined
}
