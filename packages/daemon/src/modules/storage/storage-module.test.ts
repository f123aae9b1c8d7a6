import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  checkDatabaseFile,
  type Database,
  type DiskSpace,
  ensureHome,
  type Home,
  listOpenDatabases,
  openDatabase,
  resolveHome,
} from '@steward/platform'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Notice } from '../../ports.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createStorageModule } from './storage-module.ts'

const MIGRATIONS = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT']
const NOON = Date.parse('2026-05-01T12:00:00Z')
const MINUTE_MS = 60_000
const GIGABYTE = 1e9
const PAGE_BYTES = 4096

let root = ''
let home: Home
let clock = createVirtualClock(NOON)
let disk: DiskSpace
let isStored = true
const lines: string[] = []
const notices: Notice[] = []
const opened: Database[] = []
const stops: (() => Promise<void>)[] = []

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'steward-storage-'))
  home = resolveHome({ STEWARD_HOME: root })
  await ensureHome(home)
  clock = createVirtualClock(NOON)
  disk = { path: root, device: 1, freeBytes: 5 * GIGABYTE, totalBytes: 9e9, freeFiles: 1e6 }
  isStored = true
  for (const list of [lines, notices, opened, stops]) list.length = 0
})
afterEach(async () => {
  for (const stop of stops) await stop()
  for (const database of opened) await database.close()
  rmSync(root, { recursive: true, force: true })
})

const open = (): Database => {
  const database = openDatabase(join(home.databases, 'notes.sqlite'), { migrations: MIGRATIONS })
  opened.push(database)
  return database
}
const add = (database: Database, text: string) =>
  database.write(({ statement }) => statement('INSERT INTO notes (text) VALUES (?)').run(text))
const start = async () => {
  const write = (line: string) => void lines.push(line)
  const module = createStorageModule({
    home,
    log: { info: write, warn: write, error: write },
    now: clock.now,
    setTimer: clock.setTimer,
    settings: () => ({ storage: { warnBelowMb: 500 } }),
    notices: {
      send: async (notice) => {
        if (isStored) notices.push(notice)
        return { stored: isStored }
      },
    },
    openDatabases: () => listOpenDatabases(root),
    checkDatabase: checkDatabaseFile,
    readDisks: () => [disk],
  })
  await module.start?.()
  stops.push(async () => module.stop?.())
  clock.advance(0)
  /** The next check is scheduled when the current one has finished. */
  const looked = () => vi.waitFor(() => expect(clock.pending()).toBe(1))
  await looked()
  return {
    health: module.health,
    lookAgain: async () => {
      clock.advance(MINUTE_MS)
      await looked()
    },
  }
}

test('a healthy home is ok and reports its free space', async () => {
  await add(open(), 'a')
  const { health } = await start()
  expect(health()).toEqual({ status: 'ok', stores: [], freeBytes: 5 * GIGABYTE })
  expect(notices).toEqual([])
})

test('low disk space is reported once, in health and as a notice, until space is available again', async () => {
  disk = { ...disk, freeBytes: 400e6 }
  const { health, lookAgain } = await start()
  expect(health()).toMatchObject({
    status: 'degraded',
    reasons: [expect.stringContaining('only 400 MB are free')],
  })
  await lookAgain()
  expect(notices).toMatchObject([{ kind: 'error', message: expect.stringContaining('400 MB') }])
  disk = { ...disk, freeBytes: 5 * GIGABYTE }
  await lookAgain()
  expect(health().status).toBe('ok')
  disk = { ...disk, freeFiles: 10 }
  await lookAgain()
  expect(health()).toMatchObject({ reasons: [expect.stringContaining('10 more files')] })
  expect(notices).toHaveLength(2)
})

test('a full disk fails, and the notice is sent when it can be stored', async () => {
  disk = { ...disk, freeBytes: 0 }
  isStored = false
  const { health, lookAgain } = await start()
  expect(health().status).toBe('failed')
  expect(notices).toEqual([])
  isStored = true
  await lookAgain()
  expect(notices).toHaveLength(1)
})

test('damage in the middle of a database is found after the start, and the database is not written to', async () => {
  const first = open()
  for (let n = 0; n < 50; n++) await add(first, 'x'.repeat(PAGE_BYTES))
  await first.close()
  const { size } = statSync(first.path)
  const file = openSync(first.path, 'r+')
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, size - 20 * PAGE_BYTES)
  closeSync(file)
  const damaged = open()
  const { health } = await start()
  expect(health()).toMatchObject({
    status: 'failed',
    stores: ['state/notes.sqlite'],
    reasons: [expect.stringContaining('steward repair')],
  })
  await expect(add(damaged, 'more')).rejects.toMatchObject({ code: 'storage_damaged' })
  expect(notices).toMatchObject([{ message: expect.stringContaining('is damaged') }])
})

test('a removed state folder is reported immediately', async () => {
  const database = open()
  await add(database, 'a')
  const { health, lookAgain } = await start()
  rmSync(dirname(database.path), { recursive: true })
  expect(health()).toMatchObject({ status: 'failed', stores: ['state/notes.sqlite'] })
  await lookAgain()
  expect(health().stores).toEqual(['state/notes.sqlite', 'state'])
})

test('a truncated flow registry is reported', async () => {
  writeFileSync(join(home.user.flows, 'flow-index.json'), '{"flows": [{"id"')
  const { health } = await start()
  expect(health()).toMatchObject({
    status: 'degraded',
    stores: ['USER/FLOWS/flow-index.json'],
    reasons: [expect.stringContaining('flow-index.json')],
  })
})

test('an emptied database is reported until a person accepts the loss', async () => {
  const path = join(home.databases, 'notes.sqlite')
  writeFileSync(path, '')
  utimesSync(path, new Date(0), new Date(0))
  await add(open(), 'new')
  const { health, lookAgain } = await start()
  expect(health()).toMatchObject({
    status: 'degraded',
    stores: ['state/notes.sqlite'],
    reasons: [expect.stringMatching(/notes\.sqlite was empty at .*steward restore/)],
  })
  const [note = ''] = /\S+\.lost-\S+\.txt/.exec(String(health().reasons)) ?? []
  rmSync(note)
  await lookAgain()
  expect(health().status).toBe('ok')
})

test('drafts of killed processes are removed', async () => {
  const draft = join(root, '.note.md.4194304-0123456789ab')
  writeFileSync(draft, 'half')
  utimesSync(draft, new Date(0), new Date(0))
  await start()
  expect(existsSync(draft)).toBe(false)
  expect(lines).toEqual([expect.stringContaining('removed 1 draft')])
})
