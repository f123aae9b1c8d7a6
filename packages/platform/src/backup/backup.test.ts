import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { array, assert, asyncProperty, constantFrom, oneof, string } from 'fast-check'
import { packTar, unpackTar } from 'modern-tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../database/database.ts'
import { resolveHome } from '../home/home.ts'
import { holdLock } from '../locks/lock.ts'
import { readBackupRecord, recordBackup, recordFailedBackup } from './backup-record.ts'
import { HOME_PARTS } from './backup-scope.ts'
import { createBackup } from './create-backup.ts'
import { readBackup } from './read-backup.ts'
import { planRestore, restoreBackup } from './restore-backup.ts'

const now = () => new Date('2026-11-16T07:50:00.000Z')
const TABLE = ['CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT']
const STORES = [{ path: 'state/notes.sqlite', migrations: TABLE }]

let place = ''
let file = ''
const homeAt = (name: string) => resolveHome({ STEWARD_HOME: join(place, name) })
const put = (path: string, text: string, mode = 0o600) => {
  const whole = join(homeAt('home').root, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, text, { mode })
}
const back = (options: { secrets?: boolean; file?: string } = {}) =>
  createBackup({ home: homeAt('home'), file, secrets: true, now, ...options })
const restore = (name: string, options: { replace?: boolean } = {}) =>
  restoreBackup({ home: homeAt(name), file, stores: STORES, replace: false, now, ...options })
const read = (name: string, path: string) => readFileSync(join(homeAt(name).root, path), 'utf8')

const addNotes = async (count: number) => {
  const database = openDatabase(join(homeAt('home').root, 'state/notes.sqlite'), {
    migrations: TABLE,
  })
  for (let id = 0; id < count; id++) {
    await database.write(({ statement }) =>
      statement('INSERT INTO notes (text) VALUES (?)').run(`note ${id}`),
    )
  }
  await database.close()
}
const countNotes = (name: string) => {
  const database = new DatabaseSync(join(homeAt(name).root, 'state/notes.sqlite'))
  const row = database.prepare('SELECT count(*) AS found FROM notes').get()
  database.close()
  return row?.found
}

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'steward-backup-test-'))
  file = join(place, 'backups', 'backup.tar.gz')
  mkdirSync(join(homeAt('home').root, 'state'), { recursive: true })
})
afterEach(() => rmSync(place, { recursive: true, force: true }))

describe('a backup', () => {
  test('restored elsewhere has the same content, modes and times', async () => {
    put('settings.json', '{"auth": {}}', 0o644)
    put('.env', 'LLM_API_KEY=k')
    put('USER/ACTIONS/A_RUN_THIS/action.sh', '#!/bin/sh\n', 0o755)
    put('MEMORY/KNOWLEDGE/Ideas/ü – long name '.padEnd(200, 'x'), 'note')
    put('state/payloads/ab/large', 'x'.repeat(9 * 1024 ** 2))
    await addNotes(3)
    const { manifest, problems, bytes } = await back()
    expect(problems).toEqual([])
    expect(bytes).toBe(statSync(file).size)
    expect(manifest).toMatchObject({ createdAt: '2026-11-16T07:50:00.000Z', secrets: true })
    expect(manifest.files.find(({ path }) => path === 'state/notes.sqlite')).toMatchObject({
      kind: 'database',
      schema: 1,
    })
    expect(await restore('other')).toMatchObject({ aside: null })
    for (const { path, kind } of manifest.files) {
      if (kind !== 'database') expect(read('other', path)).toBe(read('home', path))
    }
    expect(countNotes('other')).toBe(3)
    const old = statSync(join(homeAt('home').root, 'USER/ACTIONS/A_RUN_THIS/action.sh'))
    const copy = statSync(join(homeAt('other').root, 'USER/ACTIONS/A_RUN_THIS/action.sh'))
    expect(copy.mode).toBe(old.mode)
    expect(Math.trunc(copy.mtimeMs / 1000)).toBe(Math.trunc(old.mtimeMs / 1000))
    expect(statSync(join(homeAt('other').root, '.env')).mode & 0o777).toBe(0o600)
    expect(readdirSync(homeAt('other').root).filter((name) => name.includes('restore'))).toEqual([])
  })

  test('is readable by its owner alone and leaves no working files behind', async () => {
    put('settings.json', '{}')
    await back()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(file))).toEqual(['backup.tar.gz'])
  })

  test('contains no locks, indexes, drafts or processes, and reports what else it leaves out', async () => {
    put('state/search.sqlite', 'index')
    put('state/daemon.json', '{}')
    put('state/owners/1', '')
    put('MEMORY/STATE/work.json.lock', '')
    put('MEMORY/STATE/.work.json.12-0123456789ab', '{')
    put('USER/ACTIONS/A_X/node_modules/left/index.js', '')
    put('MEMORY/STATE/work.json', '{}')
    put('projects/of-another-tool.jsonl', '{}')
    const { manifest } = await back()
    expect(manifest.files.map(({ path }) => path)).toEqual(['MEMORY/STATE/work.json'])
    expect(manifest.leftOut).toEqual([
      { path: 'USER/ACTIONS/A_X/node_modules', reason: 'dependencies; install them again' },
    ])
  })

  test('without secrets contains none, and a restore keeps those that are there', async () => {
    for (const path of ['.env', 'token', 'hosted/master.key', 'state/sign-ins.json']) {
      put(path, `secret of ${path}`)
    }
    put('USER/notes.md', 'kept')
    await back({ secrets: false })
    expect(gunzipSync(readFileSync(file)).toString('latin1')).not.toContain('secret of')
    const { keptSecrets, aside } = await restore('home', { replace: true })
    expect(keptSecrets).toEqual(['.env', 'token', 'hosted/master.key', 'state/sign-ins.json'])
    expect(read('home', 'hosted/master.key')).toBe('secret of hosted/master.key')
    expect(existsSync(join(aside ?? '', 'USER/notes.md'))).toBe(true)
  })

  test('does not follow symbolic links', async () => {
    writeFileSync(join(place, 'outside'), 'private')
    mkdirSync(join(place, 'dotfiles'))
    writeFileSync(join(place, 'dotfiles', 'inside'), 'private')
    put('MEMORY/note.md', 'x')
    symlinkSync(join(place, 'outside'), join(homeAt('home').root, 'MEMORY/link'))
    symlinkSync(join(place, 'dotfiles'), join(homeAt('home').root, 'USER'))
    const { manifest } = await back()
    expect(manifest.files.map(({ path }) => path)).toEqual(['MEMORY/note.md'])
    expect(manifest.leftOut.map(({ path }) => path)).toEqual(['MEMORY/link', 'USER'])
    expect(gunzipSync(readFileSync(file)).toString('latin1')).not.toContain('private')
  })

  test('ends a log after its last whole line', async () => {
    put('MEMORY/VOICE/voice-events.jsonl', '{"a":1}\n{"b":2}\n{"torn')
    const large = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`.repeat(9000)
    put('MEMORY/OBSERVABILITY/tool-activity.jsonl.1', `${large}{"torn`)
    await back()
    await restore('other')
    expect(read('other', 'MEMORY/VOICE/voice-events.jsonl')).toBe('{"a":1}\n{"b":2}\n')
    expect(read('other', 'MEMORY/OBSERVABILITY/tool-activity.jsonl.1')).toBe(large)
  })

  test('of a damaged database contains it as it is and names it', async () => {
    await addNotes(500)
    const path = join(homeAt('home').root, 'state/notes.sqlite')
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4096 * 2, 4096 * 3)
    writeFileSync(path, bytes)
    put('state/text.sqlite', 'no database at all, but a text of some length. '.repeat(20))
    const { problems } = await back()
    expect(problems).toEqual([
      expect.stringContaining('state/notes.sqlite is damaged'),
      expect.stringContaining('state/text.sqlite is damaged: file is not a database'),
    ])
    await restore('other')
    expect(read('other', 'state/text.sqlite')).toBe(read('home', 'state/text.sqlite'))
  })

  test('is refused inside the data that it would contain, and beside another one', async () => {
    await expect(back({ file: join(homeAt('home').root, 'state/b.tar.gz') })).rejects.toThrow(
      'choose another folder',
    )
    const lock = holdLock(join(homeAt('home').databases, 'backup.lock'))
    await expect(back()).rejects.toMatchObject({ code: 'run_active' })
    lock?.release()
  })

  test('that fails leaves nothing that looks like one', async () => {
    put('USER/a.md', 'x')
    mkdirSync(dirname(file))
    mkdirSync(file)
    await expect(back()).rejects.toThrow()
    expect(readdirSync(dirname(file))).toEqual(['backup.tar.gz'])
  })
})

/** Moves numbers from one database to the other and then writes each to a log, until it is killed. */
const WRITER = `
  const { DatabaseSync } = require('node:sqlite')
  const { appendFileSync } = require('node:fs')
  const open = (name) => {
    const database = new DatabaseSync(process.argv[1] + '/state/' + name, { timeout: 10000 })
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER PRIMARY KEY AUTOINCREMENT)')
    return database
  }
  const history = open('history.sqlite'), queue = open('queue.sqlite')
  for (let n = 1; ; n++) {
    queue.exec('INSERT INTO t VALUES (' + n + ')')
    history.exec('INSERT INTO t VALUES (' + n + ')')
    queue.exec('DELETE FROM t WHERE n = ' + n)
    appendFileSync(process.argv[1] + '/MEMORY/log.jsonl', JSON.stringify({ n }) + '\\n')
    if (n === 50) console.log('going')
  }
`

describe('under load', () => {
  const writers: ChildProcess[] = []
  afterEach(() => {
    for (const writer of writers.splice(0)) writer.kill('SIGKILL')
  })

  test('databases are of one moment: no number is missing from both or done twice', async () => {
    put('MEMORY/log.jsonl', '')
    // Opened between the two that matter, so that they would differ if writers did not have to wait.
    for (let other = 10; other < 50; other++) {
      new DatabaseSync(join(homeAt('home').databases, `m${other}.sqlite`)).close()
    }
    const writer = spawn(process.execPath, ['-e', WRITER, homeAt('home').root])
    writers.push(writer)
    await once(writer.stdout, 'data')
    for (let round = 0; round < 5; round++) {
      const target = join(place, `load-${round}.tar.gz`)
      const { problems } = await back({ file: target })
      expect(problems).toEqual([])
      const home = homeAt(`restored-${round}`)
      await restoreBackup({ home, file: target, stores: [], replace: false, now })
      const numbersIn = (name: string, sql: string) => {
        const database = new DatabaseSync(join(home.databases, name))
        const rows = database.prepare(sql).all()
        database.close()
        return rows.map(({ n }) => Number(n))
      }
      const done = numbersIn('history.sqlite', 'SELECT n FROM t ORDER BY n')
      const waiting = numbersIn('queue.sqlite', 'SELECT n FROM t')
      const [issued] = numbersIn('queue.sqlite', 'SELECT seq AS n FROM sqlite_sequence')
      expect(issued).toBeGreaterThanOrEqual(50)
      expect([...new Set([...done, ...waiting])]).toEqual(
        Array.from({ length: issued ?? 0 }, (_, index) => index + 1),
      )
      const logged = readFileSync(join(home.memory, 'log.jsonl'), 'utf8').trim().split('\n')
      // The log is copied after the databases, so it has at least what they had.
      expect(logged.length).toBeGreaterThanOrEqual(done.length - 1)
      for (const line of logged) JSON.parse(line)
    }
  })
})

describe('a restore', () => {
  beforeEach(async () => {
    put('USER/a.md', 'backed up')
    await addNotes(2)
    await back()
  })

  test('is refused for a home that is not empty, and --replace moves that aside', async () => {
    put('USER/a.md', 'newer')
    put('projects/of-another-tool', 'stays')
    await expect(restore('home')).rejects.toMatchObject({ code: 'restore_refused' })
    expect(read('home', 'USER/a.md')).toBe('newer')
    const { aside, replaced } = await restore('home', { replace: true })
    expect(replaced).toEqual(['USER', 'state'])
    expect(aside).toBe(join(homeAt('home').root, 'before-restore-2026-11-16T07-50-00'))
    expect(read('home', 'USER/a.md')).toBe('backed up')
    expect(readFileSync(join(aside ?? '', 'USER/a.md'), 'utf8')).toBe('newer')
    expect(read('home', 'projects/of-another-tool')).toBe('stays')
  })

  test('is refused while a daemon or a run uses the home', async () => {
    for (const path of ['daemon.lock', 'owners/some-run', 'edge/lock']) {
      const lock = holdLock(join(homeAt('home').databases, path))
      await expect(restore('home', { replace: true })).rejects.toThrow('stop it first')
      lock?.release()
    }
    await restore('home', { replace: true })
  })

  test('plans without changing anything', async () => {
    const before = readdirSync(place, { recursive: true })
    const plan = await planRestore({
      home: homeAt('home'),
      file,
      stores: [{ path: 'state/notes.sqlite', migrations: [...TABLE, 'SELECT 1'] }],
      replace: false,
      now,
    })
    expect(plan).toMatchObject({
      replaced: ['USER', 'state'],
      migrated: [{ path: 'state/notes.sqlite', from: 1, to: 2 }],
      refusals: [expect.stringContaining('it is not empty (USER, state)')],
    })
    expect(readdirSync(place, { recursive: true })).toEqual(before)
  })

  test('brings an older database up to date and refuses a newer one', async () => {
    const migrations = [...TABLE, "ALTER TABLE notes ADD COLUMN colour TEXT DEFAULT 'red'"]
    await restoreBackup({
      home: homeAt('later'),
      file,
      stores: [{ path: 'state/notes.sqlite', migrations }],
      replace: false,
      now,
    })
    const database = new DatabaseSync(join(homeAt('later').root, 'state/notes.sqlite'))
    expect(database.prepare('SELECT text, colour FROM notes WHERE id = 1').get()).toEqual(
      Object.assign(Object.create(null), { text: 'note 0', colour: 'red' }),
    )
    database.close()
    const earlier = restoreBackup({
      home: homeAt('earlier'),
      file,
      stores: [{ path: 'state/notes.sqlite', migrations: [] }],
      replace: false,
      now,
    })
    await expect(earlier).rejects.toThrow('newer Steward (schema 1; this one knows up to 0)')
    expect(readdirSync(homeAt('earlier').root)).toEqual([])
  })

  test('of a cut, changed or foreign file is refused and changes nothing', async () => {
    const whole = readFileSync(file)
    const entries = await unpackTar(gunzipSync(whole))
    const changed = entries.map(({ header, data }) =>
      header.name === 'USER/a.md'
        ? { header, data: new TextEncoder().encode('backed UP') }
        : { header, data: data ?? new Uint8Array() },
    )
    const missing = entries
      .filter(({ header }) => header.name !== 'USER/a.md')
      .map(({ header, data }) => ({ header, data: data ?? new Uint8Array() }))
    const broken: [name: string, bytes: Uint8Array, reason: string][] = [
      ['cut short', whole.subarray(0, whole.length - 40), 'unexpected end of file'],
      ['not an archive', Buffer.from('hello'), 'incorrect header check'],
      ['changed', gzipSync(await packTar(changed)), 'USER/a.md was changed'],
      ['incomplete', gzipSync(await packTar(missing)), 'USER/a.md is missing'],
      ['without a manifest', gzipSync(await packTar([])), 'no manifest'],
    ]
    for (const [, bytes, reason] of broken) {
      writeFileSync(file, bytes)
      await expect(restore('other')).rejects.toThrow(reason)
      expect(readdirSync(homeAt('other').root)).toEqual([])
    }
  })

  test('never writes outside of the data home, whatever an archive names', async () => {
    const segment = oneof(constantFrom('..', '.', '', 'a', 'USER', 'state', '\\', 'C:'), string())
    const name = array(segment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'))
    await assert(
      asyncProperty(name, constantFrom('file', 'symlink', 'link'), async (entry, type) => {
        const header = { name: entry, size: type === 'file' ? 1 : 0, type, linkname: '../../x' }
        let bytes: Uint8Array
        try {
          bytes = await packTar([{ header, body: type === 'file' ? 'x' : '' }])
        } catch {
          return
        }
        writeFileSync(file, gzipSync(bytes))
        const into = join(place, 'deep', 'into')
        rmSync(join(place, 'deep'), { recursive: true, force: true })
        mkdirSync(into, { recursive: true })
        await expect(readBackup(file, into)).rejects.toMatchObject({ code: 'backup_unusable' })
        const written = readdirSync(into)
        expect(readdirSync(join(place, 'deep'))).toEqual(['into'])
        expect(written.filter((part) => !HOME_PARTS.some((known) => known === part))).toEqual([])
        expect(readdirSync(place).sort()).toEqual(['backups', 'deep', 'home'])
      }),
      { numRuns: 150 },
    )
  })
})

test('keeps the newest backups of this home and remembers a failure until the next success', async () => {
  const home = homeAt('home')
  const paths = [1, 2, 3].map((day) => join(place, `backup-${day}`))
  const foreign = join(place, 'backup-of-another-home')
  for (const path of [...paths, foreign]) writeFileSync(path, '')
  const [first = '', second = '', third = ''] = paths
  expect(await recordBackup(home, { path: first, createdAt: now().toISOString() }, 2)).toEqual([])
  await recordFailedBackup(home, now(), 'the disk is full')
  expect(await readBackupRecord(home)).toMatchObject({ error: 'the disk is full' })
  await recordBackup(home, { path: second, createdAt: now().toISOString() }, 2)
  expect(await recordBackup(home, { path: third, createdAt: now().toISOString() }, 2)).toEqual([
    first,
  ])
  expect(readdirSync(place).filter((name) => name.startsWith('backup'))).toEqual([
    'backup-2',
    'backup-3',
    'backup-of-another-home',
  ])
  expect(await readBackupRecord(home)).toMatchObject({ error: null, files: [{}, {}] })
})
