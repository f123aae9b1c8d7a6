import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail, ok, type Result, StewardError } from '@steward/contract'
import { z } from 'zod'
import { updateStateFile } from '../files/state-file.ts'
import type { Home } from './home.ts'

const versionFile = z.object({ version: z.int().min(1) })

/** Changes files of the data home; may run again after a crash, so it must tolerate its own result. */
export type HomeMigration = (home: Home) => Promise<void>

/** `MIGRATIONS[n]` leads from version n + 1 to n + 2; a published one is never changed. */
const MIGRATIONS: readonly HomeMigration[] = []

/** Homes from before the file existed have this version. */
const FIRST = 1

/**
 * Brings all files of the data home that are not databases to the form of this version, and records
 * it in `state/version.json`. Databases have a version of their own.
 */
export const migrateHome = async (
  home: Home,
  migrations: readonly HomeMigration[] = MIGRATIONS,
): Promise<Result<number>> => {
  const path = join(home.databases, 'version.json')
  const newest = FIRST + migrations.length
  let refusal: StewardError | undefined
  const change = async (found: { version: number }) => {
    if (found.version > newest) {
      const reason = `a newer Steward wrote this data home (version ${found.version}; this one knows up to ${newest}); update Steward to use it`
      refusal = new StewardError('storage_failed', { path, reason })
      return found
    }
    if (found.version === newest && existsSync(path)) return found
    for (const migration of migrations.slice(found.version - FIRST)) await migration(home)
    return { version: newest }
  }
  // It has no version of its own form: any Steward must be able to read it.
  const written = await updateStateFile(path, versionFile, { version: FIRST }, change, {
    isForeign: true,
  })
  if (refusal !== undefined) return fail(refusal)
  return written.ok ? ok(written.value.version) : written
}
