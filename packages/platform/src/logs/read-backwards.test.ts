import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readRowsBackwards } from './read-backwards.ts'

const BLOCK_BYTES = 64 * 1024
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'backwards-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const write = (name: string, from: number, to: number): string => {
  const path = join(folder, name)
  const rows = Array.from({ length: to - from }, (_, index) =>
    JSON.stringify({ number: from + index, filler: 'x'.repeat(200) }),
  )
  writeFileSync(path, `${rows.join('\n')}\n`)
  return path
}

/** Counts the bytes read through file handles from now on. */
const countBytesRead = async (path: string): Promise<() => number> => {
  const handle = await open(path)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const reads = vi.spyOn(prototype, 'read')
  return () =>
    reads.mock.calls.reduce(
      (sum, [, , length]) => sum + (typeof length === 'number' ? length : 0),
      0,
    )
}

test('rows come newest first; lines that are not rows are skipped', async () => {
  const path = join(folder, 'log.jsonl')
  writeFileSync(path, '{"number":1}\nno row\n\n{"number":2}\n{"number":3')
  const numbers: unknown[] = []
  for await (const { number } of readRowsBackwards(path)) numbers.push(number)
  expect(numbers).toEqual([2, 1])
})

test('a log that is not there has no rows', async () => {
  const rows = []
  for await (const row of readRowsBackwards(join(folder, 'none.jsonl'))) rows.push(row)
  expect(rows).toEqual([])
})

test('reads no more of a large log than the caller needs, plus one block', async () => {
  const path = write('log.jsonl', 0, 20_000)
  const bytesRead = await countBytesRead(path)
  let taken = 0
  for await (const { number } of readRowsBackwards(path)) {
    if (number === 19_000) break
    taken++
  }
  expect(taken).toBe(999)
  expect(bytesRead()).toBeGreaterThan(999 * 200)
  expect(bytesRead()).toBeLessThan(1000 * 240 + 2 * BLOCK_BYTES)
})
