import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { settings as settingsShape } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBus } from '../../bus/bus.ts'
import { createVirtualClock } from '../../testing/virtual-clock.ts'
import { createBackupModule, nextBackup } from './backup-module.ts'

const START = Date.parse('2026-11-16T00:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-backup-module-'))
  mkdirSync(join(root, 'state'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const createParts = (backup: object) => {
  const clock = createVirtualClock(START)
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const bus = createBus(log)
  const made: number[] = []
  const notices: unknown[] = []
  let failure: string | undefined
  let current = settingsShape.parse({ backup })
  bus.subscribe('notice', (notice) => notices.push(notice))
  const module = createBackupModule({
    home: resolveHome({ STEWARD_HOME: root }),
    bus,
    log,
    now: clock.now,
    setTimer: clock.setTimer,
    settings: () => current,
    backUp: async () => {
      const at = new Date(clock.now()).toISOString()
      made.push(clock.now() - START)
      const outcome =
        failure === undefined
          ? { attemptedAt: at, succeededAt: at, error: null, files: [] }
          : { attemptedAt: at, succeededAt: null, error: failure, files: [] }
      writeFileSync(join(root, 'state/backups.json'), JSON.stringify(outcome))
      if (failure !== undefined) throw new Error(failure)
    },
  })
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += HOUR / 6) {
      await clock.advanceInTurns(HOUR / 6)
      // Reading the record takes a turn of the file system.
      await expect.poll(() => clock.pending(), { interval: 1 }).toBe(1)
    }
  }
  return {
    module,
    made,
    notices,
    pass,
    start: async () => {
      await module.start?.()
      await expect.poll(() => clock.pending(), { interval: 1 }).toBe(1)
    },
    fail: (reason: string | undefined) => {
      failure = reason
    },
    change: (changed: object) => {
      current = settingsShape.parse({ backup: changed })
      bus.publish('settings.changed', { settings: current })
    },
  }
}

test('backs up at the start and then once a day', async () => {
  const { module, made, start, pass } = createParts({ folder: '/backups' })
  await start()
  expect(made).toEqual([0])
  await pass(2 * DAY + HOUR)
  expect(made).toEqual([0, DAY, 2 * DAY])
  expect(module.health()).toMatchObject({ status: 'ok', folder: '/backups', every: 'day' })
  await module.stop?.()
})

test('makes none without a folder, and begins when one is set', async () => {
  const { module, made, start, change } = createParts({})
  await start()
  expect(made).toEqual([])
  expect(module.health()).toMatchObject({ status: 'unavailable' })
  change({ folder: '/backups', every: 'week' })
  await expect.poll(() => made).toEqual([0])
  await module.stop?.()
})

test('tells of a failure once, tries again within the hour, and is well after a success', async () => {
  const { module, made, notices, start, pass, fail } = createParts({ folder: '/backups' })
  fail('the disk is full')
  await start()
  await pass(2 * HOUR)
  expect(made).toEqual([0, HOUR, 2 * HOUR])
  expect(notices).toEqual([{ kind: 'error', message: 'The backup failed: the disk is full' }])
  expect(module.health()).toMatchObject({
    status: 'degraded',
    reasons: ['the last backup failed: the disk is full'],
  })
  fail(undefined)
  await pass(HOUR)
  expect(module.health()).toMatchObject({ status: 'ok' })
  await module.stop?.()
})

test('a clock that was set back delays the next backup by one interval at most', () => {
  const at = new Date(START).toISOString()
  const record = { attemptedAt: at, succeededAt: at, error: null, files: [] }
  expect(nextBackup(record, 'day', START + HOUR)).toBe(START + DAY)
  expect(nextBackup(record, 'day', START - 300 * DAY)).toBe(START - 299 * DAY)
  expect(nextBackup(record, 'never', START)).toBe(Number.POSITIVE_INFINITY)
})
