import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkDatabase } from '../database/check-database.ts'
import { resolveHome } from '../home/home.ts'
import { holdLock } from '../locks/lock.ts'
import { repairHome } from './repair-home.ts'

const PAGE = 4096
const ROWS = 3000
let root = ''
const home = () => resolveHome({ STEWARD_HOME: root })
const at = (path: string) => join(root, path)
const repair = (checkOnly = false, migrations: readonly string[] = []) =>
  repairHome({
    home: home(),
    stores: [{ path: 'state/history.sqlite', migrations }],
    checkOnly,
    now: () => new Date('2026-11-16T08:00:00Z'),
  })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-repair-'))
  mkdirSync(at('state'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const SCHEMA = `
  CREATE TABLE runs (id TEXT PRIMARY KEY, name TEXT NOT NULL, size INTEGER) STRICT, WITHOUT ROWID;
  CREATE INDEX runs_by_name ON runs (name);
  CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL) STRICT;
  CREATE TABLE plain (text TEXT);
  PRAGMA user_version = 7;
`

const create = (path: string) => {
  const database = new DatabaseSync(at(path))
  database.exec(SCHEMA)
  database.exec('BEGIN')
  for (let n = 0; n < ROWS; n++) {
    const text = `row ${n} ${'x'.repeat(80)}`
    database.prepare('INSERT INTO runs VALUES (?, ?, ?)').run(`run-${1e6 + n}`, text, 2n ** 60n)
    database.prepare('INSERT INTO events (text) VALUES (?)').run(text)
    database.prepare('INSERT INTO plain VALUES (?)').run(text)
  }
  database.exec(`COMMIT; DELETE FROM events WHERE seq = ${ROWS}`)
  database.close()
}

/** Overwrites pages with rows of a table, and returns the number of the table's pages. */
const damage = (path: string, table: string, places: readonly number[]) => {
  const database = new DatabaseSync(at(path))
  const pages = database
    .prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path")
    .all(table)
    .map(({ pageno }) => Number(pageno))
  database.close()
  const bytes = readFileSync(at(path))
  for (const place of places) {
    const page = pages.at(Math.floor(place * pages.length)) ?? 0
    bytes.fill(0xff, (page - 1) * PAGE, page * PAGE)
  }
  writeFileSync(at(path), bytes)
  return pages.length
}

const count = (path: string, table: string) => {
  const database = new DatabaseSync(at(path))
  const found = database.prepare(`SELECT count(*) AS n FROM ${table}`).get()
  database.close()
  return Number(found?.n)
}

test('a home without damage is unchanged', async () => {
  create('state/history.sqlite')
  const before = readFileSync(at('state/history.sqlite'))
  expect(await repair()).toEqual([{ path: 'state/history.sqlite', state: 'ok' }])
  expect(readFileSync(at('state/history.sqlite')).equals(before)).toBe(true)
})

test.each([
  ['runs', ROWS],
  ['events', ROWS - 1],
  ['plain', ROWS],
])(
  'recovers the rows outside two damaged pages of %s, and all other tables',
  async (table, all) => {
    create('state/history.sqlite')
    const pages = damage('state/history.sqlite', table, [0.3, 0.7])
    const original = readFileSync(at('state/history.sqlite'))
    expect(await repair(true)).toMatchObject([{ state: 'damaged' }])
    const [finding] = await repair()
    expect(finding).toMatchObject({ state: 'recovered', problems: [] })
    expect(readFileSync(finding?.kept ?? '').equals(original)).toBe(true)
    expect(checkDatabase(at('state/history.sqlite'), { quick: false })).toEqual({ schema: 7 })
    const left = count('state/history.sqlite', table)
    // At most the rows of two pages are lost.
    expect(left).toBeLessThan(all)
    expect(left).toBeGreaterThan(all * (1 - 3 / pages))
    for (const [other, rows] of [
      ['runs', ROWS],
      ['events', ROWS - 1],
      ['plain', ROWS],
    ] as const) {
      if (other !== table) expect(count('state/history.sqlite', other)).toBe(rows)
      const told = finding?.tables?.find(({ name }) => name === other)
      expect(told?.rows).toBe(count('state/history.sqlite', other))
    }
    if (table === 'runs') {
      expect(finding?.tables?.find(({ name }) => name === 'runs')?.lost).toBe(all - left)
    }
    const database = new DatabaseSync(at('state/history.sqlite'))
    const big = database.prepare('SELECT size FROM runs LIMIT 1')
    big.setReadBigInts(true)
    expect(big.get()?.size).toBe(2n ** 60n)
    // The number of the removed last row is not reused.
    database.exec("INSERT INTO events (text) VALUES ('new')")
    expect(database.prepare('SELECT max(seq) AS last FROM events').get()?.last).toBe(ROWS + 1)
    database.close()
    expect(await repair()).toEqual([{ path: 'state/history.sqlite', state: 'ok' }])
  },
)

test('tables that the list of tables has lost are created again, empty', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `table_${n}`)
  const migrations = names.map(
    (name) => `CREATE TABLE ${name} (text TEXT /* ${'a long explanation '.repeat(10)} */)`,
  )
  const path = 'state/history.sqlite'
  const database = new DatabaseSync(at(path))
  for (const migration of migrations) database.exec(migration)
  database.exec(`PRAGMA user_version = ${migrations.length}`)
  database.close()
  damage(path, 'sqlite_schema', [0.5])
  const [finding] = await repair(false, migrations)
  expect(finding).toMatchObject({
    state: 'recovered',
    problems: names.map((name) => `the table ${name} is lost; a new one is empty`),
  })
  for (const name of names) expect(count(path, name)).toBe(0)
  expect(checkDatabase(at(path), { quick: false })).toEqual({ schema: migrations.length })
})

test('a damaged index loses no row', async () => {
  create('state/history.sqlite')
  damage('state/history.sqlite', 'runs_by_name', [0.5])
  expect(await repair()).toMatchObject([{ state: 'recovered', problems: [] }])
  for (const table of ['runs', 'plain']) expect(count('state/history.sqlite', table)).toBe(ROWS)
})

test('a file that is no longer a database is kept, and a new one can be created', async () => {
  create('state/history.sqlite')
  const text = 'Dear diary, this is not a database. '.repeat(1000)
  writeFileSync(at('state/history.sqlite'), text)
  const [finding] = await repair()
  expect(finding).toMatchObject({ state: 'recovered', tables: [] })
  expect(readFileSync(finding?.kept ?? '', 'utf8')).toBe(text)
  expect(checkDatabase(at('state/history.sqlite'), { quick: false })).toEqual({ schema: 0 })
})

test('a damaged document index is removed, because it is rebuilt', async () => {
  create('state/search.sqlite')
  damage('state/search.sqlite', 'runs', [0.5])
  expect(await repair()).toMatchObject([{ path: 'state/search.sqlite', state: 'removed' }])
  expect(readdirSync(at('state')).filter((name) => name.startsWith('search'))).toEqual([])
})

test('rows in the write-ahead log are recovered too', async () => {
  create('state/history.sqlite')
  const writer = new DatabaseSync(at('state/history.sqlite'))
  writer.exec("PRAGMA journal_mode = WAL; INSERT INTO plain VALUES ('late')")
  for (const ending of ['', '-wal']) {
    writeFileSync(
      at(`state/other.sqlite${ending}`),
      readFileSync(at(`state/history.sqlite${ending}`)),
    )
  }
  writer.close()
  rmSync(at('state/history.sqlite'))
  const bytes = readFileSync(at('state/other.sqlite'))
  bytes.fill(0xff, 20 * PAGE, 21 * PAGE)
  writeFileSync(at('state/other.sqlite'), bytes)
  const [finding] = await repair()
  expect(finding).toMatchObject({ state: 'recovered' })
  const database = new DatabaseSync(at('state/other.sqlite'))
  expect(database.prepare("SELECT count(*) AS n FROM plain WHERE text = 'late'").get()?.n).toBe(1)
  database.close()
})

test('damaged lines are moved from a log to a file beside it; the security log is only reported', async () => {
  mkdirSync(at('MEMORY/SECURITY/2026/11'), { recursive: true })
  mkdirSync(at('MEMORY/VOICE'), { recursive: true })
  writeFileSync(at('MEMORY/VOICE/voice-events.jsonl'), '{"a":1}\n{"b":\n\n{"c":3}\n\0\0\n{"d"')
  writeFileSync(at('MEMORY/SECURITY/2026/11/x.jsonl'), '{"a":1}\nxx\n')
  const findings = await repair()
  expect(findings).toMatchObject([
    { path: 'MEMORY/SECURITY/2026/11/x.jsonl', state: 'damaged' },
    {
      path: 'MEMORY/VOICE/voice-events.jsonl',
      state: 'recovered',
      reason: '3 of 5 lines are damaged',
    },
  ])
  expect(readFileSync(at('MEMORY/VOICE/voice-events.jsonl'), 'utf8')).toBe('{"a":1}\n{"c":3}\n')
  expect(readFileSync(findings[1]?.kept ?? '', 'utf8')).toBe('{"b":\n\0\0\n{"d"\n')
  expect(readFileSync(at('MEMORY/SECURITY/2026/11/x.jsonl'), 'utf8')).toBe('{"a":1}\nxx\n')
})

test('is refused while a process uses the home; a check is not', async () => {
  create('state/history.sqlite')
  const lock = holdLock(at('state/daemon.lock'))
  await expect(repair()).rejects.toMatchObject({ code: 'daemon_running' })
  expect(await repair(true)).toMatchObject([{ state: 'ok' }])
  lock?.release()
  const active = holdLock(at('state/owners/some-run'))
  await expect(repair()).rejects.toMatchObject({ code: 'run_active' })
  active?.release()
  mkdirSync(at('hosted'))
  writeFileSync(at('hosted/server.json'), JSON.stringify({ pid: process.pid }))
  await expect(repair()).rejects.toThrow('a server of hosted agents runs on it')
  rmSync(at('hosted/server.json'))
  expect(await repair()).toMatchObject([{ state: 'ok' }])
  expect(existsSync(at('state/history.sqlite'))).toBe(true)
})
