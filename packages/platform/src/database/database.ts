import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { isJsonObject, StewardError } from '@steward/contract'
import { SQLITE, sqliteCodeOf } from '../sqlite-code.ts'
import { noteLoss } from '../storage/note-loss.ts'
import { storageErrorOf } from '../storage-error.ts'
import { guardDatabase } from './database-guard.ts'
import { createGroupCommit, rollBack } from './group-commit.ts'

export interface Connection {
  /** The prepared statement of this text, prepared once. */
  statement(sql: string): StatementSync
}

export interface Database extends Connection {
  readonly path: string
  /** Queries inside one snapshot; what SQLite throws comes as an error of the table. */
  read<T>(query: (connection: Connection) => T): T
  /**
   * Changes of one turn of the event loop share a transaction. Resolves after the COMMIT is on
   * disk; a change that throws is undone and rejects alone; when the storage fails, all reject.
   */
  write<T>(change: (connection: Connection) => T): Promise<T>
  /** Commits what waits, then closes. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  migrations: readonly string[]
  /** Whether other files tell that there has been such a database: if it is missing now, it was lost. */
  hadOne?: () => boolean
}

/** One attempt at a lock blocks the event loop no longer than this. */
const BUSY_TIMEOUT_MS = 250
const OPEN_ATTEMPTS = 40

/** Opens or creates a database that several processes may share, brought to its newest schema. */
export const openDatabase = (path: string, options: DatabaseOptions): Database => {
  const database = openFile(path, options)
  const statements = new Map<string, StatementSync>()
  const statement = (sql: string): StatementSync => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const prepared = database.prepare(sql)
    statements.set(sql, prepared)
    return prepared
  }
  const connection: Connection = { statement }
  const guard = guardDatabase(path)
  const group = createGroupCommit(database, guard)
  return {
    path,
    statement,
    write: (change) => group.write(() => change(connection)),
    read: (query) => {
      try {
        statement('BEGIN').run()
        const value = query(connection)
        if (database.isOpen && database.isTransaction) statement('COMMIT').run()
        return value
      } catch (thrown) {
        const error = guard.explain(thrown)
        rollBack(database)
        throw error
      }
    },
    close: async () => {
      await group.drain()
      guard.release()
      if (database.isOpen) database.close()
    },
  }
}

const openFile = (path: string, { migrations, hadOne }: DatabaseOptions): DatabaseSync => {
  try {
    const loss = findLoss(path, hadOne)
    if (loss !== undefined) noteLoss(path, loss, new Date())
    createPrivately(path)
    for (let attempt = 1; ; attempt++) {
      try {
        return configure(path, migrations)
      } catch (thrown) {
        // Switching a new file to WAL does not wait for others who do the same.
        if (sqliteCodeOf(thrown) !== SQLITE.busy || attempt === OPEN_ATTEMPTS) throw thrown
      }
    }
  } catch (thrown) {
    throw storageErrorOf(path, thrown)
  }
}

/** Another process may have made the file just now, and be about to fill it. */
const YOUNG_MS = 10_000

/** What became of a database that was there before; nothing for a sound one and for a first start. */
const findLoss = (path: string, hadOne: DatabaseOptions['hadOne']): string | undefined => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return hadOne?.() ? 'was missing' : undefined
  const isEmpty = found.size === 0 && Date.now() - found.mtimeMs > YOUNG_MS
  return isEmpty && (hadOne?.() ?? true) ? 'was empty' : undefined
}

const configure = (path: string, migrations: readonly string[]): DatabaseSync => {
  const database = new DatabaseSync(path, {
    timeout: BUSY_TIMEOUT_MS,
    enableForeignKeyConstraints: true,
  })
  try {
    // A checkpoint writes each page once however often it changed: fewer of them make commits cheaper.
    // auto_vacuum counts only while the file is empty, so it stands before WAL writes the first page.
    database.exec(`
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA journal_size_limit = 67108864;
    `)
    migrate(database, path, migrations)
    return database
  } catch (thrown) {
    database.close()
    throw thrown
  }
}

/**
 * Histories hold people's content: readable by their owner alone. Only a file that is not there is
 * opened here, because closing a descriptor of an existing one would drop SQLite's locks on it.
 */
const createPrivately = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (thrown) {
    if (!isJsonObject(thrown) || thrown.code !== 'EEXIST') throw thrown
  }
}

/**
 * Brings the file to the newest schema: `migrations[n]` leads from version n to n + 1, and a
 * published one is never changed. Several processes may open a new file at once; one migrates.
 */
const migrate = (database: DatabaseSync, path: string, migrations: readonly string[]): void => {
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
