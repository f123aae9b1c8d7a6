import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, '../../../packages/dashboard/src')

/**
 * Components of the app that contain a pattern, by path, except for building blocks of other
 * components.
 */
export const findComponents = (pattern: RegExp): string[] =>
  readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.svelte') && !path.startsWith('ui/'))
    .filter((path) => pattern.test(readFileSync(join(SOURCE, path), 'utf8')))
    .sort()
