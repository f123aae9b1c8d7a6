import { posix } from 'node:path'
import { INSIDE, type InsidePaths, type PlaceName } from '../sandbox/sandbox.ts'

const NAMES: readonly PlaceName[] = ['workspace', 'outputs', 'uploads', 'home', 'tmp']

/**
 * A path as a program inside names it. Relative ones start at the workspace. Without isolation the
 * usual places lie elsewhere, and are found there.
 */
export const locate = (paths: InsidePaths, given: string): string => {
  const path = posix.resolve(INSIDE.workspace, given)
  const place = NAMES.find((name) => path === INSIDE[name] || path.startsWith(`${INSIDE[name]}/`))
  return place === undefined ? path : paths[place] + path.slice(INSIDE[place].length)
}
