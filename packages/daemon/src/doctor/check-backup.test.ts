import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkBackup } from './check-backup.ts'

const NOW = Date.parse('2026-11-16T08:00:00Z')
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-check-backup-'))
  mkdirSync(join(root, 'state'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const check = (backup: object, record?: object) => {
  if (record !== undefined) {
    writeFileSync(join(root, 'state/backups.json'), JSON.stringify({ files: [], ...record }))
  }
  const home = resolveHome({ STEWARD_HOME: root })
  return checkBackup(home, settings.parse({ backup }).backup, NOW, 'steward')
}

test('a home without a schedule is fine and says how to set one', async () => {
  expect(await check({})).toMatchObject({
    status: 'ok',
    message: 'not scheduled, none yet (steward backup FOLDER --every day)',
  })
})

test('a failure and a late backup are reported', async () => {
  const failed = { succeededAt: '2026-11-15T08:00:00Z', error: 'the disk is full' }
  expect(await check({ folder: '/b' }, failed)).toMatchObject({
    status: 'fail',
    message: 'the last backup failed: the disk is full',
    repair: 'steward backup /b',
  })
  const late = { succeededAt: '2026-11-13T08:00:00Z', error: null }
  expect(await check({ folder: '/b' }, late)).toMatchObject({ status: 'warn' })
  expect(await check({ folder: '/b', every: 'week' }, late)).toMatchObject({ status: 'ok' })
})
