import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureHome, type Home, openDatabase, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkDisk, checkStores, checkToken } from './check-storage.ts'

let home: Home
beforeEach(async () => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-doctor-')) })
  await ensureHome(home)
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

test('sound stores are counted', async () => {
  const migrations = ['CREATE TABLE notes (text TEXT) STRICT']
  await openDatabase(join(home.databases, 'notes.sqlite'), { migrations }).close()
  expect(await checkStores(home)).toMatchObject([{ status: 'ok', message: '1 database is sound' }])
})

test('every store that cannot be used is named, with what to do', async () => {
  writeFileSync(join(home.databases, 'notes.sqlite'), 'no database at all '.repeat(500))
  writeFileSync(join(home.user.flows, 'flow-index.json'), '{"flows"')
  rmSync(home.output, { recursive: true })
  expect(await checkStores(home)).toMatchObject([
    { status: 'fail', message: expect.stringContaining('OUTPUT is gone') },
    {
      status: 'fail',
      message: expect.stringContaining('notes.sqlite is damaged'),
      repair: expect.stringContaining('steward repair'),
    },
    { status: 'fail', message: expect.stringContaining('flow-index.json') },
  ])
})

test('a record of lost data is reported, and removed by the repair', async () => {
  const note = join(home.databases, 'history.sqlite.lost-2026-05-01T12-00-00.000Z.txt')
  writeFileSync(note, 'history.sqlite was missing.\n')
  const [finding] = await checkStores(home)
  expect(finding).toMatchObject({ status: 'warn', message: expect.stringContaining('was missing') })
  await finding?.fix?.()
  expect(existsSync(note)).toBe(false)
})

test('little room is a warning, none a failure', () => {
  const disk = { path: home.root, device: 1, totalBytes: 1e12, freeFiles: undefined }
  const statusOf = (freeBytes: number) =>
    checkDisk(home, 500, () => [{ ...disk, freeBytes }]).status
  expect([statusOf(6e8), statusOf(4e8), statusOf(0)]).toEqual(['ok', 'warn', 'fail'])
  expect(checkDisk(home, 0).status).toBe('ok')
})

test('an unusable token is reported', async () => {
  expect((await checkToken(home)).status).toBe('ok')
  writeFileSync(home.token, '')
  expect(await checkToken(home)).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('it is empty'),
  })
})
