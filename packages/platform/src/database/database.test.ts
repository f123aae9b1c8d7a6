import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from './database.ts'

const MIGRATIONS = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT']
let directory = ''
let path = ''
let database: Database

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-database-'))
  path = join(directory, 'state', 'notes.sqlite')
  database = openDatabase(path, { migrations: MIGRATIONS })
})

afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

const add = (text: string) =>
  database.write(({ statement }) => {
    statement('INSERT INTO notes (text) VALUES (?)').run(text)
    return text
  })
const readNotes = () =>
  database.read(({ statement }) =>
    statement('SELECT text FROM notes ORDER BY id')
      .all()
      .map(({ text }) => text),
  )
/** The number of commits, as seen by another connection. */
const countCommits = (work: () => Promise<unknown>) => {
  const other = new DatabaseSync(path)
  other.exec('CREATE TABLE IF NOT EXISTS probe (a)')
  let commits = 0
  let last: unknown
  const look = () => {
    const version = other.prepare('PRAGMA data_version').get()?.data_version
    if (last !== undefined && version !== last) commits++
    last = version
  }
  look()
  return { look, read: () => commits, done: work().finally(() => other.close()) }
}

describe('opening', () => {
  test('sets the pragmas that durability needs', () => {
    const pragma = (name: string) => Object.values(database.statement(`PRAGMA ${name}`).get() ?? {})
    expect(pragma('journal_mode')).toEqual(['wal'])
    expect(pragma('synchronous')).toEqual([2])
    expect(pragma('foreign_keys')).toEqual([1])
    expect(pragma('auto_vacuum')).toEqual([2])
    expect(pragma('user_version')).toEqual([1])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('migrates an older file and keeps its content', async () => {
    await add('kept')
    await database.close()
    const migrations = [...MIGRATIONS, 'ALTER TABLE notes ADD COLUMN colour TEXT']
    database = openDatabase(path, { migrations })
    const row = database.statement('SELECT text, colour FROM notes').get()
    expect({ ...row }).toEqual({ text: 'kept', colour: null })
  })

  test('a failing migration changes nothing', async () => {
    await add('kept')
    await database.close()
    const migrations = [...MIGRATIONS, 'DROP TABLE notes; CREATE TABLE broken (']
    expect(() => openDatabase(path, { migrations })).toThrow(`could not write ${path}`)
    database = openDatabase(path, { migrations: MIGRATIONS })
    expect(readNotes()).toEqual(['kept'])
  })

  test('refuses a file of a newer version with a message', async () => {
    await database.close()
    const newer = new DatabaseSync(path)
    newer.exec('PRAGMA user_version = 9')
    newer.close()
    expect(() => openDatabase(path, { migrations: MIGRATIONS })).toThrow(
      /a newer Steward wrote it \(schema 9; this one knows up to 1\)/,
    )
  })

  test('refuses a file that is not a database', () => {
    const text = join(directory, 'text.sqlite')
    writeFileSync(text, 'Dear diary, this is not a database. '.repeat(100))
    expect(() => openDatabase(text, { migrations: MIGRATIONS })).toThrow(
      `the database ${text} is damaged: it is not an SQLite database`,
    )
  })

  test('waits for locks as long as it is told', async () => {
    await database.close()
    database = openDatabase(path, { migrations: MIGRATIONS, busyTimeoutMs: 1234 })
    expect(database.statement('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 1234 })
  })

  test.each([1, 9])('fills a file of version %s again, if that can be done', async (version) => {
    await add('old')
    await database.close()
    const other = new DatabaseSync(path)
    other.exec(`PRAGMA user_version = ${version}`)
    other.close()
    const rebuilt = { version: 2, drop: 'DROP TABLE IF EXISTS notes', create: MIGRATIONS[0] ?? '' }
    database = openDatabase(path, { rebuilt })
    expect(readNotes()).toEqual([])
    expect(database.statement('PRAGMA synchronous').get()).toMatchObject({ synchronous: 0 })
    await add('new')
    await database.close()
    database = openDatabase(path, { rebuilt })
    expect(readNotes()).toEqual(['new'])
  })

  test("leaves schema and version of a person's own file alone, and who may read it", async () => {
    const file = join(directory, 'theirs', 'own.sqlite')
    mkdirSync(join(directory, 'theirs'))
    const own = new DatabaseSync(file)
    own.exec('PRAGMA user_version = 42; CREATE TABLE theirs (a)')
    own.close()
    chmodSync(file, 0o664)
    const opened = openDatabase(file, { isPrivate: false })
    expect(opened.statement('PRAGMA user_version').get()).toMatchObject({ user_version: 42 })
    await opened.close()
    expect(statSync(file).mode & 0o777).toBe(0o664)
    const made = join(directory, 'made', 'own.sqlite')
    await openDatabase(made, { isPrivate: false }).close()
    expect(statSync(made).mode & 0o777).toBe(0o666 & ~process.umask())
  })

  test('says when the folder cannot be made', () => {
    const inFile = join(path, 'below', 'x.sqlite')
    expect(() => openDatabase(inFile, { migrations: MIGRATIONS })).toThrow(StewardError)
  })
})

describe('writing', () => {
  test('at once is on disk when it returns, or nothing of it is', () => {
    const addNow = (...texts: string[]) =>
      database.writeNow(({ statement }) => {
        for (const text of texts) statement('INSERT INTO notes (text) VALUES (?)').run(text)
      })
    const other = openDatabase(path, { migrations: MIGRATIONS })
    addNow('a')
    expect(() => addNow('b', 'a')).toThrow(`could not write ${path}`)
    expect(other.statement('SELECT text FROM notes').all()).toMatchObject([{ text: 'a' }])
    void other.close()
  })

  test('changes of one turn share one commit', async () => {
    const watch = countCommits(async () => {
      await Promise.all([add('a'), add('b'), add('c')])
      watch.look()
      await add('d')
      watch.look()
    })
    await watch.done
    expect(watch.read()).toBe(2)
    expect(readNotes()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('nothing is visible before the promise resolves, everything afterwards', async () => {
    const pending = add('later')
    expect(readNotes()).toEqual([])
    expect(await pending).toBe('later')
    expect(readNotes()).toEqual(['later'])
  })

  test('a change that fails is undone and rejects alone', async () => {
    const failing = database.write(({ statement }) => {
      statement("INSERT INTO notes (text) VALUES ('half')").run()
      throw new StewardError('invalid_input', { subject: 'x', reason: 'wrong' })
    })
    const settled = await Promise.allSettled([add('a'), failing, add('b'), add('a')])
    expect(settled.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(settled[1]).toMatchObject({ reason: { code: 'invalid_input' } })
    expect(settled[3]).toMatchObject({ reason: { code: 'storage_failed' } })
    expect(readNotes()).toEqual(['a', 'b'])
  })

  test('a single failing change leaves nothing behind', async () => {
    const failing = database.write(({ statement }) => {
      statement("INSERT INTO notes (text) VALUES ('half')").run()
      throw new Error('wrong')
    })
    await expect(failing).rejects.toThrow('wrong')
    expect(readNotes()).toEqual([])
  })

  test('a full disk rejects all waiting writes, and later writes work again', async () => {
    await add('before')
    const pages = Number(database.statement('PRAGMA page_count').get()?.page_count)
    database.statement(`PRAGMA max_page_count = ${pages}`).get()
    const settled = await Promise.allSettled([add('small'), add('x'.repeat(100_000)), add('b')])
    for (const result of settled) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { code: 'disk_full', details: { path } },
      })
    }
    expect(readNotes()).toEqual(['before'])
    database.statement('PRAGMA max_page_count = 100000').get()
    await add('after')
    expect(readNotes()).toEqual(['before', 'after'])
  })

  test('a database that may not be written rejects, and works when it may again', async () => {
    database.statement('PRAGMA query_only = ON').get()
    await expect(add('no')).rejects.toMatchObject({ code: 'storage_denied' })
    database.statement('PRAGMA query_only = OFF').get()
    await add('yes')
    expect(readNotes()).toEqual(['yes'])
  })

  test('waits for another writer without blocking the event loop for long', async () => {
    const other = new DatabaseSync(path)
    other.exec('BEGIN IMMEDIATE')
    const pending = add('patient')
    setTimeout(() => other.exec('COMMIT'), 1)
    await pending
    other.close()
    expect(readNotes()).toEqual(['patient'])
  })

  test('closing commits waiting writes and refuses later ones', async () => {
    const last = add('last')
    const closed = database.close()
    await expect(add('too late')).rejects.toThrow('it was closed')
    await closed
    await last
    database = openDatabase(path, { migrations: MIGRATIONS })
    expect(readNotes()).toEqual(['last'])
  })
})
