import type { DatabaseSync } from 'node:sqlite'
import { StewardError } from '@steward/contract'

/**
 * Brings the file to the newest schema: `migrations[n]` leads from version n to n + 1, and a
 * published one is never changed. Several processes may open a new file at once; one migrates.
 */
export const migrate = (
  database: DatabaseSync,
  path: string,
  migrations: readonly string[],
): void => {
  if (readVersion(database, path, migrations.length) === migrations.length) return
  database.exec('BEGIN IMMEDIATE')
  try {
    const version = readVersion(database, path, migrations.length)
    for (const migration of migrations.slice(version)) database.exec(migration)
    database.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

const readVersion = (database: DatabaseSync, path: string, known: number): number => {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
  if (version <= known) return version
  const reason = `a newer Steward wrote it (schema ${version}; this one knows up to ${known}); update Steward to use it`
  throw new StewardError('storage_failed', { path, reason })
}
