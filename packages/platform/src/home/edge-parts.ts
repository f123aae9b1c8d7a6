import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { isMissing } from '../error-code.ts'

/**
 * What building and running workers needs beyond the packed program: sources that workers are bundled
 * from, which the package contains, and large packages, which are fetched once.
 */
export interface EdgeParts {
  /** The sources and a lockfile, in the package. */
  source: string
  /** Where they are installed together: named after their content, in the cache of the user. */
  folder: string
  isInstalled: boolean
}

const described = z.object({ id: z.string().regex(/^[\w.-]+$/) })

/** The parts for the packed program at `root`; undefined for a clone, which has them. */
export const findEdgeParts = (
  root: string,
  env: Readonly<Record<string, string | undefined>>,
  homedir: string,
): EdgeParts | undefined => {
  const source = join(root, 'edge')
  const text = readText(join(source, 'parts.json'))
  if (text === undefined) return undefined
  const { id } = described.parse(JSON.parse(text))
  const folder = join(env.XDG_CACHE_HOME || join(homedir, '.cache'), 'steward', 'edge', id)
  return { source, folder, isInstalled: existsSync(folder) }
}

const readText = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (isMissing(thrown)) return undefined
    throw thrown
  }
}
