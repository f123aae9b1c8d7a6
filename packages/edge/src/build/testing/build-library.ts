import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { buildWorkers } from '../build-workers.ts'
import { NO_RESOURCES } from '../resources.ts'
import { catalogOf } from './catalog-of.ts'

/** The library that ships with Steward. */
export const LIBRARY = join(import.meta.dirname, '../../../../../library')

/**
 * Builds some primitives of a folder in the library's layout with the real modules; returns the
 * output folder.
 */
export const buildSome = async (root: string, only: readonly string[]): Promise<string> => {
  const out = mkdtempSync(join(tmpdir(), 'steward-workers-'))
  onTestFinished(() => rmSync(out, { recursive: true, force: true }))
  const outcome = await buildWorkers({
    catalog: catalogOf(root),
    resources: NO_RESOURCES,
    out,
    only,
  })
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.mistakes))
  return out
}
