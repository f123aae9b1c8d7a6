import { posix } from 'node:path'
import { INSIDE, type InsidePaths, type PlaceName } from '../sandbox/sandbox.ts'

const NAMES: readonly PlaceName[] = ['workspace', 'outputs', 'uploads', 'home', 'tmp']

/**
 * Resolves a path as seen inside. Relative paths start at the workspace. Without isolation the
 * usual places are elsewhere and are mapped.
 */
export const locate = (paths: InsidePaths, given: string): string => {
  const path = posix.resolve(INSIDE.workspace, given)
  const place = NAMES.find((name) => path === INSIDE[name] || path.startsWith(`${INSIDE[name]}/`))
  return place === undefined ? path : paths[place] + path.slice(INSIDE[place].length)
}
