import { mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readRowsAt } from './read-rows-at.ts'
import { type LogPlace, scanLog } from './scan-log.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-rows-'))
  path = join(folder, 'log.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Some are longer than one joint read, some have characters of several bytes. */
const line = (n: number): string =>
  `${JSON.stringify({ n, padding: (n % 3 === 0 ? 'é' : 'x').repeat(n % 40 === 7 ? 90_000 : n) })}\n`
const linesOf = (first: number, last: number): string =>
  Array.from({ length: last - first }, (_, at) => line(first + at)).join('')

const placesOf = async (): Promise<LogPlace[]> => {
  const places: LogPlace[] = []
  for await (const { file, rows } of scanLog(path, () => 0)) {
    places.push(...rows.map(({ start, end }) => ({ ...file, start, end })))
  }
  return places
}
const numbersAt = async (places: readonly LogPlace[]): Promise<unknown[]> =>
  (await readRowsAt(path, places)).map((row) => row?.n)

test('any rows of a log and its rotated files, in any order', async () => {
  writeFileSync(path, linesOf(0, 150))
  renameSync(path, `${path}.1`)
  writeFileSync(path, linesOf(150, 200))
  const places = await placesOf()
  expect(places).toHaveLength(200)
  const property = fc.asyncProperty(fc.array(fc.nat(199), { maxLength: 120 }), async (wanted) => {
    const chosen = wanted.flatMap((n) => places.slice(n, n + 1))
    expect(await numbersAt(chosen)).toEqual(wanted)
  })
  await fc.assert(property, { numRuns: 40 })
  expect(await numbersAt(places)).toEqual(places.map((_, n) => n))
})

test('rows whose file was removed or cut are undefined', async () => {
  writeFileSync(path, linesOf(0, 10))
  renameSync(path, `${path}.1`)
  writeFileSync(path, linesOf(10, 13))
  const places = await placesOf()
  unlinkSync(`${path}.1`)
  writeFileSync(path, linesOf(10, 12).slice(0, -3))
  const left = [...Array.from({ length: 10 }, () => undefined), 10, undefined, undefined]
  expect(await numbersAt(places)).toEqual(left)
  rmSync(path)
  expect(await numbersAt(places)).toEqual(places.map(() => undefined))
})
