import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appendLogRow } from './append-log.ts'
import { createLogFollower } from './follow-log.ts'
import { readTail } from './read-tail.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-tail-'))
  path = join(folder, 'log.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const CLEAN = { foreign: 0, binary: 0, tooLong: 0, torn: 0 }
const line = (n: number, padding = 0) => `${JSON.stringify({ n, padding: 'x'.repeat(padding) })}\n`
const numbers = async (rows: number) =>
  (await readTail(path, { rows })).rows.map(({ row }) => row.n)

test('a log that is not there, also without its folder, has no rows', async () => {
  const none = { rows: [], skipped: CLEAN, position: 'start' }
  expect(await readTail(path, { rows: 5 })).toEqual(none)
  expect(await readTail(join(folder, 'no', 'log.jsonl'), { rows: 5 })).toEqual(none)
})

test('the last rows, oldest first; invalid lines are skipped and counted', async () => {
  writeFileSync(
    path,
    Buffer.concat([
      Buffer.from(`${line(1)}${line(2)}\n[1]\nnot json\n${line(3)}`),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from(`${line(4, 300_000)}${line(5)}{"n":6`),
    ]),
  )
  expect(await numbers(2)).toEqual([3, 5])
  expect(await numbers(10)).toEqual([1, 2, 3, 5])
  const { skipped } = await readTail(path, { rows: 10 })
  expect(skipped).toEqual({ foreign: 2, binary: 1, tooLong: 1, torn: 1 })
})

test('rows are found across blocks of any size, as a plain split finds them', async () => {
  const texts = fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 60_000, max: 70_000 })), {
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(15), fc.boolean(), async (paddings, rows, torn) => {
      writeFileSync(
        path,
        `${paddings.map((padding, n) => line(n, padding)).join('')}${torn ? '{"n":' : ''}`,
      )
      const expected = paddings.map((_, n) => n).slice(rows === 0 ? paddings.length : -rows)
      expect(await numbers(rows)).toEqual(expected)
    }),
    { numRuns: 60 },
  )
})

test('continues into rotated files, but only as far as needed', async () => {
  writeFileSync(`${path}.3`, line(1))
  writeFileSync(`${path}.2`, `${line(2)}${line(3)}`)
  writeFileSync(`${path}.1`, line(4))
  writeFileSync(path, line(5))
  expect(await numbers(1)).toEqual([5])
  expect(await numbers(3)).toEqual([3, 4, 5])
  expect(await numbers(100)).toEqual([1, 2, 3, 4, 5])
  rmSync(path)
  rmSync(`${path}.2`)
  expect(await numbers(100)).toEqual([1, 4])
})

test('a gigabyte without a line break is not read through', async () => {
  const file = openSync(path, 'w')
  writeSync(file, line(1))
  ftruncateSync(file, 1024 ** 3)
  closeSync(file)
  const before = process.memoryUsage()
  const tail = await readTail(path, { rows: 100 })
  expect(tail).toMatchObject({ rows: [], skipped: { ...CLEAN, torn: 1 } })
  const after = process.memoryUsage()
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(64 * 1024 * 1024)

  // The rest of that line is not a row, but the next line is.
  appendLogRow(path, { n: 2 }, { maxBytes: 1024 ** 4 })
  const follower = createLogFollower({ path, from: tail.position })
  expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 2 } }], gap: false })
  await follower.close()
})

test('a follower from its position gets later rows, once', async () => {
  writeFileSync(`${path}.1`, `${line(1)}{"n":`)
  writeFileSync(path, `${line(3)}{"n":`)
  const { position } = await readTail(path, { rows: 10 })
  const follower = createLogFollower({ path, from: position })
  expect((await follower.read()).rows).toEqual([])
  writeFileSync(path, '4}\n', { flag: 'a' })
  writeFileSync(`${path}.1`, '2}\n', { flag: 'a' })
  expect((await follower.read()).rows.map(({ row }) => row.n)).toEqual([2, 4])
  await follower.close()
})

test('an unreadable log is an error with a reason', async () => {
  await expect(readTail(folder, { rows: 1 })).rejects.toMatchObject({
    code: 'storage_failed',
    message: expect.stringContaining('it cannot be read: there is a folder'),
  })
  writeFileSync(path, '')
  await expect(readTail(join(path, 'log.jsonl'), { rows: 1 })).rejects.toThrow(
    'a part of the path is a file',
  )
})
