import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StewardError } from '@steward/contract'
import { codeOf } from '../error-code.ts'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { recordLoss } from '../storage/record-loss.ts'
import { storageErrorOf } from '../storage-error.ts'

/** With neither migrations nor `rebuilt`, the schema and its version are not touched. */
export interface DatabaseOptions {
  migrations?: readonly string[]
  /**
   * For content that can be rebuilt from elsewhere: a file of another version is emptied and
   * recreated, and changes are not forced to disk.
   */
  rebuilt?: { version: number; drop: string; create: string }
  /** Whether a power failure may take the last changes, because they can be made again. */
  mayLoseLast?: boolean
  /**
   * For many small changes: the event loop works on while a change is forced to disk. Reads may see
   * the change shortly before `write` resolves.
   */
  syncsInThread?: boolean
  /** Once open, an attempt to get a lock blocks the event loop no longer than this. */
  busyTimeoutMs?: number
  /**
   * Returns whether other files show that the database existed before: if it is missing now, it was
   * lost.
   */
  hadOne?: () => boolean
  /**
   * Readable by its owner only, unless this is false. Steward's own files contain personal content.
   */
  isPrivate?: boolean
}

/** SQLite's name for an in-memory database. */
export const IN_MEMORY = ':memory:'
const BUSY_TIMEOUT_MS = 250
const OPEN_ATTEMPTS = 40

/**
 * Opens the file and migrates its schema. Throws an error from the error table with the SQLite
 * error as its cause.
 */
export const openFile = (path: string, options: DatabaseOptions): DatabaseSync => {
  try {
    if (path !== IN_MEMORY) {
      if (options.migrations !== undefined) recordIfLost(path, options.hadOne)
      createFile(path, options.isPrivate ?? true)
    }
    for (let attempt = 1; ; attempt++) {
      try {
        return configure(path, options)
      } catch (thrown) {
        // Switching a new file to WAL does not wait for other processes that do the same.
        if (sqliteCodeOf(thrown) !== SQLITE.busy || attempt === OPEN_ATTEMPTS) throw thrown
      }
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown)
  }
}

/** SQLite's level of forcing changes to disk. */
const synchronousOf = ({ rebuilt, mayLoseLast }: DatabaseOptions): string => {
  if (rebuilt !== undefined) return 'OFF'
  return mayLoseLast ? 'NORMAL' : 'FULL'
}

const configure = (path: string, options: DatabaseOptions): DatabaseSync => {
  const { busyTimeoutMs, migrations, rebuilt } = options
  const database = new DatabaseSync(path, {
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  })
  try {
    // A checkpoint writes each page once however often it changed, so fewer checkpoints make
    // commits cheaper. auto_vacuum only takes effect while the file is empty, so it precedes the
    // switch to WAL, which writes the first page.
    database.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = ${synchronousOf(options)};
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
    `)
    if (migrations !== undefined) migrate(database, path, migrations)
    if (rebuilt !== undefined) rebuild(database, rebuilt)
    if (busyTimeoutMs !== undefined) database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

/** Another process may have just created the file and not filled it yet. */
const YOUNG_MS = 10_000

/** Reports a database that existed before; a first start and an intact file are not a loss. */
const recordIfLost = (path: string, hadOne: DatabaseOptions['hadOne']): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) {
    if (hadOne?.()) recordLoss(path, 'was missing', new Date())
    return
  }
  const isEmpty = found.size === 0 && Date.now() - found.mtimeMs > YOUNG_MS
  if (isEmpty && (hadOne?.() ?? true)) recordLoss(path, 'was empty', new Date())
}

/**
 * Only opens a missing file, because closing a descriptor of an existing one would drop SQLite's
 * locks on it.
 */
const createFile = (path: string, isPrivate: boolean): void => {
  mkdirSync(dirname(path), { recursive: true, mode: isPrivate ? 0o700 : undefined })
  try {
    if (isPrivate) closeSync(openSync(path, 'wx', 0o600))
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown
  }
}

/**
 * Migrates the file to the newest schema: `migrations[n]` leads from version n to n + 1, and a
 * published one is never changed. Several processes may open a new file at once; only one migrates
 * it.
 */
const migrate = (database: DatabaseSync, path: string, migrations: readonly string[]): void => {
  const readKnown = (): number => {
    const version = readVersion(database)
    if (version <= migrations.length) return version
    const reason = `a newer Steward wrote it (schema ${version}; this one knows up to ${migrations.length}); update Steward to use it`
    throw new StewardError('storage_failed', { path, reason })
  }
  if (readKnown() === migrations.length) return
  changeSchema(database, () => {
    for (const migration of migrations.slice(readKnown())) database.exec(migration)
    return migrations.length
  })
}

/** Several processes may find a file of another version at once; only one rebuilds it. */
const rebuild = (
  database: DatabaseSync,
  { version, drop, create }: NonNullable<DatabaseOptions['rebuilt']>,
): void => {
  if (readVersion(database) === version) return
  changeSchema(database, () => {
    if (readVersion(database) !== version) database.exec(`${drop}; ${create}`)
    return version
  })
}

/** Applies the change and the version that it returns in one transaction. */
const changeSchema = (database: DatabaseSync, change: () => number): void => {
  database.exec('BEGIN IMMEDIATE')
  try {
    database.exec(`PRAGMA user_version = ${change()}; COMMIT`)
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

const readVersion = (database: DatabaseSync): number =>
  Number(database.prepare('PRAGMA user_version').get()?.user_version)

/** Removes a database that no process has open. */
export const removeDatabase = (path: string): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true })
}
