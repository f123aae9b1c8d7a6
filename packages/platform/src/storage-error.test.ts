import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError, toStewardError } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { storageErrorOf } from './storage-error.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-disk-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Every way of writing a file, each on a disk that is full. */
const PROGRAM = `
  import { openSync, writeFileSync } from 'node:fs'
  import { join } from 'node:path'
  import { openDatabase } from './database/database.ts'
  import { appendJsonLine } from './files/append-json-line.ts'
  import { updateStateFile } from './files/state-file.ts'
  import { writeFileAtomically } from './files/write-file-atomically.ts'
  import { z } from 'zod'
  const folder = process.argv[1]
  const migrations = ['CREATE TABLE notes (text TEXT) STRICT']
  const database = openDatabase(join(folder, 'notes.sqlite'), { migrations })
  await appendJsonLine(join(folder, 'log.jsonl'), {})
  try {
    for (let n = 0; ; n++) writeFileSync(join(folder, 'fill' + n), 'x'.repeat(Number(process.argv[2])))
  } catch {}
  const big = 'x'.repeat(300_000)
  const told = {}
  const tell = async (what, work) => {
    told[what] = await work().then(
      (result) => (result?.ok === false ? result.error.code : 'ok'),
      (error) => error.code + ': ' + error.message,
    )
  }
  await tell('database', () =>
    database.write(({ statement }) => statement('INSERT INTO notes VALUES (?)').run(big)))
  await tell('line', () => appendJsonLine(join(folder, 'log.jsonl'), big))
  await tell('file', () => writeFileAtomically(join(folder, 'file'), big))
  await tell('state', () =>
    updateStateFile(join(folder, 'state.json'), z.string(), '', () => big))
  await tell('new database', async () => openDatabase(join(folder, 'b.sqlite'), { migrations }))
  process.stdout.write(JSON.stringify(told))`

const runOnDisk = (options: string, fillBytes: number): unknown => {
  const script = `mount -t tmpfs -o ${options} tmpfs "$1" && exec "$0" --input-type=module -e "$2" "$1" ${fillBytes}`
  const { stdout, stderr } = spawnSync(
    'unshare',
    ['-rm', 'sh', '-c', script, process.execPath, folder, PROGRAM],
    { cwd: import.meta.dirname, encoding: 'utf8' },
  )
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe.runIf(process.platform === 'linux')('on a real disk', () => {
  test('without space, everything says that the disk is full', () => {
    const full = expect.stringMatching(/^disk_full: .*the disk is full/)
    expect(runOnDisk('size=256k', 4096)).toEqual({
      database: full,
      line: full,
      file: full,
      state: 'disk_full',
      'new database': full,
    })
  })

  test('without inodes, new files say so', () => {
    const told = runOnDisk('size=4m,nr_inodes=12', 1)
    const full = expect.stringMatching(/^disk_full: .*no free inodes/)
    expect(told).toMatchObject({ line: 'ok', file: full, state: 'disk_full', 'new database': full })
  })
})

test('an error of the system is reported by its cause', () => {
  const codeFor = (code: string) =>
    storageErrorOf('/x/y', Object.assign(new Error(code), { code })).code
  expect(codeFor('ENOSPC')).toBe('disk_full')
  expect(codeFor('EDQUOT')).toBe('disk_full')
  expect(codeFor('EACCES')).toBe('storage_denied')
  expect(codeFor('EROFS')).toBe('storage_denied')
  expect(codeFor('EMFILE')).toBe('too_many_open_files')
  expect(codeFor('EIO')).toBe('storage_failed')
})

test('a full disk is never reported as a defect of Steward', () => {
  const thrown = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    path: '/x/y',
  })
  expect(toStewardError(thrown)).toMatchObject({ code: 'disk_full', details: { path: '/x/y' } })
  const kept = new StewardError('not_found', { what: 'a', name: 'b' })
  expect(toStewardError(kept)).toBe(kept)
  // An action's own failure stays its own.
  expect(toStewardError(thrown, 'action_failed', { action: 'A_X' }).code).toBe('action_failed')
})
