import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DatabaseGuard, guardDatabase } from './database-guard.ts'
import { createGroupCommit, type GroupCommit } from './group-commit.ts'
import { createWalSync } from './wal-sync.ts'

let directory: string
let database: DatabaseSync
let group: GroupCommit
let guard: DatabaseGuard
/** Ends the syncs that were started, oldest first. */
let syncs: ((error: Error | null) => void)[]

const levelOf = () => database.prepare('PRAGMA synchronous').get()?.synchronous
const add = (text: string) =>
  group.write(() => {
    database.prepare('INSERT INTO notes VALUES (?)').run(text)
    return levelOf()
  })
const countOf = (): unknown => database.prepare('SELECT count(*) AS n FROM notes').get()?.n
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  const settled = promise.then(
    () => true,
    () => true,
  )
  await nextTurn()
  await nextTurn()
  return Promise.race([settled, Promise.resolve(false)])
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'group-commit-'))
  const path = join(directory, 'notes.sqlite')
  database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE notes (text)')
  syncs = []
  const { withoutSync, close } = createWalSync(database, path)
  const sync = (done: (error: Error | null) => void) => {
    syncs.push(done)
  }
  guard = guardDatabase(path)
  group = createGroupCommit(database, guard, { withoutSync, sync, close })
})

afterEach(() => {
  guard.release()
  database.close()
  rmSync(directory, { recursive: true })
})

test('a change settles when the log is synced, not when it is committed', async () => {
  const added = add('one')
  expect(await isSettled(added)).toBe(false)
  expect(countOf()).toBe(1)
  syncs.shift()?.(null)
  // SQLite itself does not sync this commit, but every other one of this connection.
  expect(await added).toBe(1)
  expect(levelOf()).toBe(2)
})

test('changes that arrive during a sync share the next transaction and sync', async () => {
  const first = add('one')
  await nextTurn()
  const others = [add('two'), add('three')]
  await nextTurn()
  expect(countOf()).toBe(1)
  expect(syncs).toHaveLength(1)
  syncs.shift()?.(null)
  await first
  await nextTurn()
  expect(countOf()).toBe(3)
  expect(syncs).toHaveLength(1)
  syncs.shift()?.(null)
  await Promise.all(others)
})

test('a failed sync rejects its changes, and later ones are tried again', async () => {
  const first = add('one')
  await nextTurn()
  const second = add('two')
  syncs.shift()?.(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }))
  await expect(first).rejects.toMatchObject({ code: 'storage_failed' })
  expect(guard.problem()).toMatchObject({ code: 'storage_failed' })
  await nextTurn()
  syncs.shift()?.(null)
  await second
  expect(guard.problem()).toBeUndefined()
})

test('draining waits for the sync in progress', async () => {
  const added = add('one')
  await nextTurn()
  expect(group.isWaiting()).toBe(true)
  const drained = group.drain()
  expect(await isSettled(drained)).toBe(false)
  syncs.shift()?.(null)
  await added
  await nextTurn()
  syncs.shift()?.(null)
  await drained
  expect(group.isWaiting()).toBe(false)
})
