import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdLock } from '../locks/lock.ts'
import { appendLogRow } from './append-log.ts'
import { createLogFollower } from './follow-log.ts'
import type { LogRow } from './log-row.ts'
import { readTail } from './read-tail.ts'
import { rotateLog } from './rotate-log.ts'
import { makeWriter, runWriter } from './testing/run-writer.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-logs-'))
  path = join(folder, 'log.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): unknown => JSON.parse(line))

describe('one row', () => {
  test('is one line of a private file, whose folder is created if missing', () => {
    const deep = join(folder, 'a', 'b', 'log.jsonl')
    expect(appendLogRow(deep, { text: 'one\ntwo\u2028' })).toEqual({
      shortened: false,
      rotated: false,
    })
    appendLogRow(deep, { n: 2 })
    expect(linesOf(deep)).toEqual([{ text: 'one\ntwo\u2028' }, { n: 2 }])
    expect(statSync(deep).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700)
  })

  test('does not share a line with an unfinished one', () => {
    writeFileSync(path, '{"n":1}\n{"torn":')
    appendLogRow(path, { n: 2 })
    appendLogRow(path, { n: 3 })
    expect(readFileSync(path, 'utf8')).toBe('{"n":1}\n{"torn":\n{"n":2}\n{"n":3}\n')
  })

  test('that is too long is shortened and marked', () => {
    const row = { timestamp: 't', text: 'é'.repeat(300_000), list: Array(5000).fill('item'), n: 1 }
    expect(appendLogRow(path, row)).toMatchObject({ shortened: true })
    const [line] = linesOf(path)
    expect(line).toMatchObject({
      timestamp: 't',
      n: 1,
      shortened_from_bytes: Buffer.byteLength(JSON.stringify(row)) + 1,
      text: `${'é'.repeat(4096)}… [295904 more characters]`,
    })
    expect(statSync(path).size).toBeLessThanOrEqual(LIMITS.eventLineBytes)
  })

  test('of whatever form fits the limit or is refused', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.integer({ min: 40 }), (row, n) => {
        const limit = 40 + (n % 400)
        try {
          appendLogRow(path, row, { maxLineBytes: limit })
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'storage_failed' })
          return
        }
        const line = readFileSync(path)
        rmSync(path)
        expect(line.length).toBeLessThanOrEqual(limit)
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(JSON.parse(line.toString())).toBeTypeOf('object')
      }),
      { numRuns: 300 },
    )
  })

  test('without a JSON form is refused', () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const nothing = { toJSON: () => undefined }
    expect(() => appendLogRow(path, circular)).toThrow('the row has no JSON form')
    expect(() => appendLogRow(path, { n: 1n })).toThrow('the row has no JSON form')
    expect(() => appendLogRow(path, nothing)).toThrow('the row is not a JSON object')
    expect(existsSync(path)).toBe(false)
  })
})

describe('a row that cannot be written is an error with a reason', () => {
  test.each([
    ['a folder in the way', () => folder, 'there is a folder where a file', 'storage_failed'],
    ['a file for a folder', () => join(path, 'x.jsonl'), 'a part of the path is', 'storage_failed'],
    ['a full disk', () => '/dev/full', 'no space is left on the device', 'disk_full'],
  ])('%s', (_, at, reason, code) => {
    writeFileSync(path, '')
    expect(() => appendLogRow(at(), { n: 1 })).toThrow(reason)
    expect(() => appendLogRow(at(), { n: 1 })).toThrow(
      expect.objectContaining({
        code,
        details: expect.objectContaining({ path: at() }),
      }),
    )
  })

  test('a read-only file system', () => {
    expect(() => appendLogRow('/sys/kernel/log.jsonl', { n: 1 })).toThrow(
      /permission denied|read-only/,
    )
  })

  test('a disk that fills up within the row: the part stays apart from later rows', () => {
    const program = `
      import { appendLogRow } from './append-log.ts'
      try {
        appendLogRow(process.argv[1], { n: 1, text: 'x'.repeat(5000) })
      } catch (error) {
        process.stdout.write(error.message)
      }`
    // A limit of 2 KB on file sizes truncates the write like a full disk.
    const { stdout } = spawnSync(
      'bash',
      [
        '-c',
        `trap '' XFSZ; ulimit -f 2; exec "$@"`,
        'bash',
        process.execPath,
        '--input-type=module',
        '-e',
        program,
        path,
      ],
      { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    )
    expect(stdout).toContain('only 2048 of 5018 bytes were written')
    appendLogRow(path, { n: 2 })
    const [torn, whole] = readFileSync(path, 'utf8').split('\n')
    expect(torn).toHaveLength(2048)
    expect(whole).toBe('{"n":2}')
  })
})

describe('rotation', () => {
  const small = { maxBytes: 100, files: 3 }
  const fill = (n: number) => appendLogRow(path, { n, text: 'x'.repeat(100) }, small)

  test('keeps the newest files, the highest number being the oldest', () => {
    for (let n = 1; n <= 6; n++) expect(fill(n)).toMatchObject({ rotated: true })
    appendLogRow(path, { n: 7 }, small)
    const kept = ['', '.1', '.2', '.3'].map((suffix) => linesOf(`${path}${suffix}`))
    expect(kept).toMatchObject([[{ n: 7 }], [{ n: 6 }], [{ n: 5 }], [{ n: 4 }]])
    expect(readdirSync(folder)).not.toContain('log.jsonl.4')
  })

  test('continues after a writer was killed, and loses nothing', () => {
    for (let n = 1; n <= 3; n++) fill(n)
    writeFileSync(`${path}.3`, '{"n":1}\n')
    rmSync(`${path}.1`)
    fill(4)
    const kept = ['.1', '.2', '.3'].map((suffix) => linesOf(`${path}${suffix}`))
    expect(kept).toMatchObject([[{ n: 4 }], [{ n: 2 }], [{ n: 1 }]])
  })

  test('removes expired files, also of a small log, and those beyond a lower limit', () => {
    for (let n = 1; n <= 3; n++) fill(n)
    const now = () => Date.parse('2026-05-01T00:00:00Z')
    const days = (count: number) => new Date(now() - count * 86_400_000)
    utimesSync(`${path}.3`, days(91), days(91))
    utimesSync(`${path}.2`, days(89), days(89))
    expect(rotateLog(path, { ...small, now })).toBe(false)
    expect(readdirSync(folder).toSorted()).toEqual(['log.jsonl.1', 'log.jsonl.2', 'log.jsonl.lock'])
    rotateLog(path, { ...small, files: 1, now })
    expect(readdirSync(folder).toSorted()).toEqual(['log.jsonl.1', 'log.jsonl.lock'])
  })

  test('of a missing or small log does nothing, and creates no lock', () => {
    expect(rotateLog(path)).toBe(false)
    appendLogRow(path, { n: 1 })
    expect(rotateLog(path)).toBe(false)
    expect(readdirSync(folder)).toEqual(['log.jsonl'])
  })

  test('is skipped while another process does it', () => {
    const lock = holdLock(`${path}.lock`)
    expect(fill(1)).toEqual({ shortened: false, rotated: false })
    lock?.release()
    expect(fill(2)).toMatchObject({ rotated: true })
    expect(linesOf(`${path}.1`)).toMatchObject([{ n: 1 }, { n: 2 }])
  })

  test('that fails is reported, and the row is still written', () => {
    mkdirSync(`${path}.1`)
    mkdirSync(join(`${path}.2`, 'in-the-way'), { recursive: true })
    const { rotated, rotationError } = appendLogRow(
      path,
      { text: 'x'.repeat(100) },
      { ...small, files: 2 },
    )
    expect(rotated).toBe(false)
    expect(rotationError).toMatchObject({ code: 'storage_failed' })
    expect(rotationError?.message).toContain('the log cannot be rotated')
    expect(linesOf(path)).toHaveLength(1)
  })
})

// Real processes on a possibly busy machine: the duration only depends on the number of rows.
describe('several processes', { timeout: 180_000 }, () => {
  test("append and rotate concurrently: no row is lost, torn or duplicated, and a follower gets each writer's rows in order", async () => {
    const options = { path, count: 150, maxBytes: 4 * 1024, files: 10_000 }
    const program = await makeWriter(folder)
    const follower = createLogFollower({ path, from: 'end' })
    // From now on; a writer could be done before the next line starts the last one.
    expect((await follower.read()).rows).toEqual([])
    const writers = Array.from({ length: 8 }, (_, name) =>
      runWriter(program, { ...options, name: `w${name}` }),
    )
    let running = true
    const followed: LogRow[] = []
    const following = (async () => {
      for (let last = false; !last; ) {
        last = !running
        const { rows, gap, skipped } = await follower.read()
        expect({ gap, ...skipped, torn: 0 }).toEqual({
          gap: false,
          foreign: 0,
          binary: 0,
          tooLong: 0,
          torn: 0,
        })
        followed.push(...rows)
      }
    })()
    const ended = await Promise.all(writers.map((writer) => writer.ended))
    running = false
    await following
    await follower.close()
    expect(ended.map(({ status }) => status)).toEqual(Array(8).fill(0))

    const all = await readTail(path, { rows: 10_000 })
    expect(all.skipped).toEqual({ foreign: 0, binary: 0, tooLong: 0, torn: 0 })
    expect(readdirSync(folder).length).toBeGreaterThan(20)
    const inOrder = Array.from({ length: 150 }, (_, index) => index)
    for (let name = 0; name < 8; name++) {
      const indexes = (rows: readonly LogRow[]) =>
        rows.filter(({ row }) => row.writer === `w${name}`).map(({ row }) => row.index)
      expect(indexes(all.rows)).toEqual(inOrder)
      expect(indexes(followed)).toEqual(inOrder)
    }
  })

  test('killed at any moment leave complete rows, including every acknowledged one', async () => {
    const options = { path, count: 1_000_000, maxBytes: 16 * 1024, files: 10_000 }
    const program = await makeWriter(folder)
    const writers = Array.from({ length: 4 }, (_, name) =>
      runWriter(program, { ...options, name: `w${name}` }),
    )
    const follower = createLogFollower({ path, from: 'start' })
    const seen = new Map<unknown, number>()
    const rows: LogRow[] = []
    // Each is killed at a different row count, during whatever it is doing.
    const limits = new Map(writers.map((_, name) => [`w${name}`, 100 + name * 77]))
    while (writers.some(({ child }) => child.exitCode === null && child.signalCode === null)) {
      const read = await follower.read()
      rows.push(...read.rows)
      for (const { row } of read.rows) seen.set(row.writer, (seen.get(row.writer) ?? 0) + 1)
      for (const [name, { child }] of writers.entries()) {
        if ((seen.get(`w${name}`) ?? 0) > (limits.get(`w${name}`) ?? 0)) child.kill('SIGKILL')
      }
    }
    const ended = await Promise.all(writers.map((writer) => writer.ended))
    appendLogRow(path, { writer: 'after' }, options)
    rows.push(...(await follower.read()).rows)
    await follower.close()
    expect(rows.at(-1)?.row).toEqual({ writer: 'after' })
    for (const [name, { acknowledged }] of ended.entries()) {
      const indexes = rows
        .filter(({ row }) => row.writer === `w${name}`)
        .map(({ row }) => row.index)
      expect(indexes).toEqual(Array.from({ length: indexes.length }, (_, index) => index))
      expect(indexes.length).toBeGreaterThanOrEqual(acknowledged.length)
    }
  })
})
