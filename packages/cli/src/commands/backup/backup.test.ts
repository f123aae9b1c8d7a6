import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createRedactor } from '@steward/platform'
import { openHistory } from '@steward/runner'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCli } from '../../run-cli.ts'
import { memoryIo } from '../../testing/memory-io.ts'

let place = ''
let clock = Date.parse('2026-11-16T07:50:00Z')
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'steward-cli-backup-'))
  mkdirSync(join(place, 'home/USER'), { recursive: true })
  writeFileSync(join(place, 'home/USER/note.md'), 'mine')
  writeFileSync(join(place, 'home/token'), 'a-token')
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

const run = async (args: readonly string[], home = 'home') => {
  const env = { STEWARD_HOME: join(place, home) }
  const io = memoryIo({ args, env, homedir: place, cwd: place, now: () => clock })
  clock += 60_000
  return { code: await runCli(io), out: io.out.text(), err: io.err.text() }
}
const backups = () => readdirSync(join(place, 'backups')).sort()
const makeHistory = async () => {
  const directory = join(place, 'home/state')
  await openHistory({ directory, redactor: createRedactor({}) }).close()
}

test('a backup is one private file that restores elsewhere', async () => {
  await makeHistory()
  const made = await run(['backup', 'backups', '--json'])
  expect(made.code).toBe(0)
  const { file, databases, secrets } = JSON.parse(made.out)
  expect({ databases, secrets }).toEqual({ databases: 1, secrets: true })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const looked = await run(['restore', file, '--dry-run'], 'new')
  expect(looked).toMatchObject({ code: 0, out: expect.stringContaining('Nothing was changed.') })
  expect(readdirSync(place)).not.toContain('new')
  expect(await run(['restore', file], 'new')).toMatchObject({ code: 0 })
  expect(readFileSync(join(place, 'new/USER/note.md'), 'utf8')).toBe('mine')
  expect(await run(['restore', file], 'new')).toMatchObject({
    code: 4,
    err: expect.stringContaining('--replace moves this aside'),
  })
})

test('a database of an older Steward is brought up to date, one of a newer is refused', async () => {
  await makeHistory()
  const change = (sql: string) => {
    const database = new DatabaseSync(join(place, 'home/state/history.sqlite'))
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
    database.exec(sql.replace('OLDER', String(version - 1)))
    database.close()
    return version
  }
  // The last step of this schema adds the tables of several destinations and digests.
  const version = change(`DROP TABLE flow_deliveries; DROP TABLE flow_digests;
    PRAGMA user_version = OLDER`)
  const older = JSON.parse((await run(['backup', 'older.tar.gz', '--json'])).out).file
  expect(await run(['restore', older], 'migrated')).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      `updated: state/history.sqlite, schema ${version - 1} to ${version}`,
    ),
  })
  const database = new DatabaseSync(join(place, 'migrated/state/history.sqlite'))
  expect(database.prepare('SELECT count(*) AS n FROM flow_digests').get()?.n).toBe(0)
  database.close()
  change('PRAGMA user_version = 99')
  const newer = JSON.parse((await run(['backup', 'newer.tar.gz', '--json'])).out).file
  expect(await run(['restore', newer], 'refused')).toMatchObject({
    code: 4,
    err: expect.stringContaining('state/history.sqlite is of a newer Steward (schema 99'),
  })
})

test('--every writes the schedule, --keep removes older backups, never ends it', async () => {
  const settings = () => JSON.parse(readFileSync(join(place, 'home/settings.json'), 'utf8')).backup
  await run(['backup', 'backups', '--every', 'day', '--keep', '2', '--without-secrets'])
  const folder = join(place, 'backups')
  expect(settings()).toEqual({ folder, every: 'day', secrets: false, keep: 2 })
  const [first = ''] = backups()
  await run(['backup', '--keep', '2'])
  expect(await run(['backup', '--keep', '2'])).toMatchObject({
    out: expect.stringContaining(`removed: ${join(folder, first)}`),
  })
  expect(backups()).toHaveLength(2)
  expect(await run(['backup', 'x.tar.gz', '--every', 'day'])).toMatchObject({ code: 2 })
  expect(await run(['backup', '--every', 'never'])).toMatchObject({ code: 0 })
  expect(settings()).toMatchObject({ every: 'never' })
})

test('without a target, and onto an existing file, it says what to do', async () => {
  expect(await run(['backup'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('name a folder or a file, or set backup.folder'),
  })
  writeFileSync(join(place, 'there.tar.gz'), 'x')
  expect(await run(['backup', 'there.tar.gz'])).toMatchObject({ code: 4 })
  expect(readFileSync(join(place, 'there.tar.gz'), 'utf8')).toBe('x')
})

test('damage fails the backup, and repair makes the next one succeed', async () => {
  await makeHistory()
  const file = join(place, 'home/state/history.sqlite')
  const bytes = readFileSync(file)
  bytes.fill(0xff, 3 * 4096, 4 * 4096)
  writeFileSync(file, bytes)
  expect(await run(['backup', 'backups'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('state/history.sqlite is damaged'),
  })
  expect(await run(['repair', '--check'])).toMatchObject({ code: 1 })
  expect(await run(['repair'])).toMatchObject({
    code: 1,
    out: expect.stringContaining('the damaged original is'),
  })
  expect(await run(['repair'])).toMatchObject({ code: 0 })
  expect(await run(['backup', 'backups'])).toMatchObject({ code: 0 })
})
