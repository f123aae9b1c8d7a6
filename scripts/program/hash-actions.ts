import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashSources } from '../../packages/runner/src/catalog/action-sources.ts'

/** The hash of every action of a library, by name, computed like in the catalog. */
export const hashActions = (folder: string): Record<string, string> => {
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'action.json')))
  return Object.fromEntries(names.map((name) => [name, hashSources(join(folder, name))]))
}
