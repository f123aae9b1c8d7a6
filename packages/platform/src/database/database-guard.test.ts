import { closeSync, mkdtempSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { listOpenDatabases } from './database-guard.ts'

const MIGRATIONS = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT']
const PAGE_BYTES = 4096
let directory = ''
let path = ''
let database: Database

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'steward-guard-'))
  path = join(directory, 'state', 'notes.sqlite')
  database = open()
})
afterEach(async () => {
  await database.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = () => openDatabase(path, { migrations: MIGRATIONS })
const add = (text: string) =>
  database.write(({ statement }) => statement('INSERT INTO notes (text) VALUES (?)').run(text))
const readLast = () =>
  database.read(({ statement }) => statement('SELECT text FROM notes ORDER BY id DESC').all())
const problem = () =>
  listOpenDatabases(directory)
    .find((guard) => guard.path === path)
    ?.problem()

/** Overwrites all but the first pages, as a bad disk does. */
const damage = async () => {
  for (let n = 0; n < 50; n++) await add('x'.repeat(PAGE_BYTES))
  await database.close()
  const file = openSync(path, 'r+')
  const { size } = statSync(path)
  for (let at = 3 * PAGE_BYTES; at < size; at += PAGE_BYTES)
    writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, at)
  closeSync(file)
  database = open()
}

test('a database that works has no problem, and none is listed after it is closed', async () => {
  await add('a')
  expect(problem()).toBeUndefined()
  expect(listOpenDatabases(directory).map((guard) => guard.path)).toContain(path)
  await database.close()
  expect(listOpenDatabases(directory).map((guard) => guard.path)).not.toContain(path)
})

describe('a database that is damaged in the middle', () => {
  test('says so when it is read, and is not written to from then on', async () => {
    await damage()
    expect(readLast).toThrow(`the database ${path} is damaged`)
    expect(problem()).toMatchObject({ code: 'storage_damaged', retryable: false })
    const before = statSync(`${path}-wal`).size
    await expect(add('more')).rejects.toMatchObject({
      code: 'storage_damaged',
      remedy: expect.stringContaining('steward repair'),
    })
    expect(statSync(`${path}-wal`).size).toBe(before)
  })

  test('is not written to either after a check found the damage', async () => {
    listOpenDatabases(directory)
      .find((guard) => guard.path === path)
      ?.condemn('row 3 is missing from an index')
    await expect(add('more')).rejects.toThrow('row 3 is missing from an index')
  })
})

describe('a database that is removed while it is open', () => {
  test('refuses changes instead of losing them', async () => {
    await add('kept')
    rmSync(dirname(path), { recursive: true })
    await expect(add('lost')).rejects.toMatchObject({
      code: 'storage_lost',
      message: expect.stringContaining(path),
    })
    expect(problem()).toMatchObject({ code: 'storage_lost' })
  })

  test('refuses them too when another file has taken its place', async () => {
    await add('kept')
    renameSync(path, `${path}.old`)
    const other = open()
    await expect(add('lost')).rejects.toMatchObject({ code: 'storage_lost' })
    await other.close()
  })
})

test('a change that breaks a rule of the schema is no problem of the file', async () => {
  const failing = database.write(({ statement }) =>
    statement('INSERT INTO notes (text) VALUES (NULL)').run(),
  )
  await Promise.allSettled([failing, add('a')])
  await expect(failing).rejects.toMatchObject({ code: 'storage_failed' })
  expect(problem()).toBeUndefined()
})

test('a failure is over with the next change that succeeds', async () => {
  database.statement('PRAGMA query_only = ON').get()
  await expect(add('no')).rejects.toMatchObject({ code: 'storage_denied' })
  expect(problem()).toMatchObject({ code: 'storage_denied' })
  database.statement('PRAGMA query_only = OFF').get()
  await add('yes')
  expect(problem()).toBeUndefined()
})
