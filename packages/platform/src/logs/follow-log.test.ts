import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogFollower, type LogFollower, type LogFollowerOptions } from './follow-log.ts'
import type { LogRow } from './log-row.ts'

let folder = ''
let path = ''
let nowMs = 0
const followers: LogFollower[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-follow-'))
  path = join(folder, 'log.jsonl')
  nowMs = 0
})
afterEach(async () => {
  await Promise.all(followers.splice(0).map((follower) => follower.close()))
  rmSync(folder, { recursive: true, force: true })
})

const follow = (from: string, options: Partial<LogFollowerOptions> = {}): LogFollower => {
  const follower = createLogFollower({ path, from, now: () => nowMs, ...options })
  followers.push(follower)
  return follower
}
const line = (n: number) => `{"n":${n}}\n`
const append = (...lines: string[]) => appendFileSync(path, lines.join(''))
const numbersOf = (rows: readonly LogRow[]) => rows.map(({ row }) => row.n)
const numbers = async (follower: LogFollower) => numbersOf((await follower.read()).rows)
/** Rotates like the real rotation, without a limit on files. */
const rotate = () => {
  const taken = readdirSync(folder).map((name) => Number(name.split('.')[2] ?? 0))
  for (let number = Math.max(...taken); number > 0; number--) {
    renameSync(`${path}.${number}`, `${path}.${number + 1}`)
  }
  renameSync(path, `${path}.1`)
}

describe('new rows', () => {
  test('from the end: nothing old, each new row once; a torn line waits for its rest', async () => {
    append(line(1), '{"n":')
    const follower = follow('end')
    expect(await numbers(follower)).toEqual([])
    append('2}\n', line(3), '{"n"')
    expect(await numbers(follower)).toEqual([2, 3])
    expect(await numbers(follower)).toEqual([])
    append(':4}')
    expect(await numbers(follower)).toEqual([])
    append('\n')
    expect(await numbers(follower)).toEqual([4])
  })

  test('of a log and a folder that come later', async () => {
    const follower = follow('end')
    expect(await numbers(follower)).toEqual([])
    append(line(1))
    expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 1 } }], gap: false })
  })

  test('comes in portions, and reads that overlap take turns', async () => {
    append(...Array.from({ length: 100 }, (_, n) => line(n)))
    const follower = follow('start', { maxReadBytes: 64 })
    expect(await follower.read()).toMatchObject({ more: true })
    const reads = await Promise.all(Array.from({ length: 30 }, () => follower.read()))
    const found = reads.flatMap(({ rows }) => numbersOf(rows))
    expect(found).toEqual(Array.from({ length: 100 }, (_, n) => n).slice(-found.length))
    expect(reads.at(-1)).toMatchObject({ more: false })
  })

  test('without invalid lines, which are counted', async () => {
    const follower = follow('start', { maxLineBytes: 50 })
    append(line(1), 'text\n', '\n', `{"long":"${'x'.repeat(99)}"}\n`, '\0\n', line(2))
    const { rows, skipped } = await follower.read()
    expect(numbersOf(rows)).toEqual([1, 2])
    expect(skipped).toEqual({ foreign: 1, binary: 1, tooLong: 1, torn: 0 })
  })

  test('of a folder in the place of the log is an error, and a closed follower reads no more', async () => {
    const follower = follow('start', { path: folder })
    await expect(follower.read()).rejects.toMatchObject({ code: 'storage_failed' })
    await follower.close()
    await expect(follower.read()).rejects.toThrow('the follower is closed')
  })
})

describe('rotation and the like', () => {
  test('finishes the rotated file, continues in the new one, and gets late rows', async () => {
    append(line(1))
    const late = openSync(path, 'a')
    const follower = follow('start')
    expect(await numbers(follower)).toEqual([1])
    append(line(2))
    rotate()
    expect(await numbers(follower)).toEqual([2])
    append(line(4))
    writeSync(late, line(3))
    expect(await numbers(follower)).toEqual([3, 4])
    rotate()
    append(line(5))
    writeSync(late, line(6))
    expect(await numbers(follower)).toEqual([6, 5])
    closeSync(late)
  })

  test('several rotations between two reads', async () => {
    const follower = follow('end')
    await follower.read()
    for (let n = 1; n <= 20; n++) {
      append(line(n))
      rotate()
    }
    const { rows, gap } = await follower.read()
    expect(numbersOf(rows)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expect(gap).toBe(false)
    append(line(21))
    expect(await numbers(follower)).toEqual([21])
  })

  test('closes a rotated file after half a minute without writes', async () => {
    append(line(1), '{"n":')
    const follower = follow('start')
    await follower.read()
    rotate()
    append(line(2))
    expect((await follower.read()).position.split(',')).toHaveLength(2)
    nowMs += 30_000
    const { position, skipped } = await follower.read()
    expect(position.split(',')).toHaveLength(1)
    expect(skipped.torn).toBe(1)
    rotate()
    append(line(3))
    expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 3 } }], gap: false })
  })

  test.each([
    ['emptied and shorter', () => truncateSync(path, 0), [line(9)]],
    ['emptied and longer', () => truncateSync(path, 0), [line(9), line(10), line(11)]],
    ['replaced', () => rmSync(path), [line(9)]],
  ])('a log that is %s is read from its beginning, and a gap is said', async (_, change, lines) => {
    writeFileSync(`${path}.1`, line(0))
    append(line(1), line(2))
    const follower = follow('end')
    await follower.read()
    change()
    append(...lines)
    const { rows, gap } = await follower.read()
    expect(rows.map(({ row }) => `${JSON.stringify(row)}\n`)).toEqual(lines)
    expect(gap).toBe(true)
    append(line(20))
    expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 20 } }], gap: false })
  })

  test('files that came and went unread are a gap', async () => {
    append(line(1))
    const follower = follow('start')
    await follower.read()
    rotate()
    append(line(2))
    rotate()
    append(line(3))
    rmSync(`${path}.1`)
    rmSync(`${path}.2`)
    expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 3 } }], gap: true })
  })

  test('a rotated file that is moved back is followed, and nothing is repeated', async () => {
    append(line(1))
    const follower = follow('start')
    await follower.read()
    rotate()
    append(line(2))
    await follower.read()
    renameSync(`${path}.1`, path)
    append(line(3))
    expect(await numbers(follower)).toEqual([3])
    append(line(4))
    expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 4 } }], gap: false })
  })
})

describe('going on from a position', () => {
  test('after rotations', async () => {
    append(line(1), line(2), line(3))
    const [, second] = (await follow('start').read()).rows
    for (const n of [4, 5]) {
      rotate()
      append(line(n))
    }
    const read = await follow(second?.position ?? '').read()
    expect(numbersOf(read.rows)).toEqual([3, 4, 5])
    expect(read.gap).toBe(false)
  })

  test('of a file that is gone: the oldest row there is, and a gap', async () => {
    append(line(1))
    const { position } = await follow('start').read()
    rotate()
    append(line(2))
    rotate()
    append(line(3))
    rmSync(`${path}.2`)
    const read = await follow(position).read()
    expect(numbersOf(read.rows)).toEqual([2, 3])
    expect(read.gap).toBe(true)
  })

  test('of another file with the same inode counts as a position in a removed file', async () => {
    append(line(1), line(2))
    const { position } = await follow('start').read()
    truncateSync(path, 0)
    append(line(7), line(8), line(9))
    const read = await follow(position).read()
    expect(numbersOf(read.rows)).toEqual([7, 8, 9])
    expect(read.gap).toBe(true)
  })

  test.each(['', 'nonsense', '1:2', '../../etc/passwd', '1.a:99999999999999999999', '1.a:1,'])(
    'that is invalid (%j): the end, and a gap',
    async (position) => {
      append(line(1))
      const follower = follow(position)
      expect(await follower.read()).toMatchObject({ rows: [], gap: true })
      append(line(2))
      expect(await follower.read()).toMatchObject({ rows: [{ row: { n: 2 } }], gap: false })
    },
  )
})

/**
 * What happens to a log: rows by several writers that may keep it open, written in parts, with
 * rotations in between.
 */
type Step =
  | { do: 'open'; writer: number }
  | { do: 'part'; writer: number }
  | { do: 'rest'; writer: number }
  | { do: 'rotate' | 'read' | 'resume' }

const writer = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('open' as const, 'part' as const, 'rest' as const), writer }),
  fc.record({ do: fc.constantFrom('rest' as const), writer }),
  fc.record({ do: fc.constantFrom('rotate' as const, 'read' as const, 'resume' as const) }),
)

test('whatever happens between reads, each row comes once, each writer in its order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 8, max: 200 }),
      async (steps, maxReadBytes) => {
        const home = mkdtempSync(join(folder, 'run-'))
        const log = join(home, 'log.jsonl')
        const open = new Map<number, number>()
        const started = new Set<number>()
        const written: string[] = []
        const counts = [0, 0, 0]
        let follower = createLogFollower({ path: log, from: 'start', maxReadBytes })
        const found: LogRow[] = []
        let rotations = 0
        const read = async (): Promise<boolean> => {
          const { rows, gap, more, skipped } = await follower.read()
          expect({ gap, ...skipped }).toEqual({
            gap: false,
            foreign: 0,
            binary: 0,
            tooLong: 0,
            torn: 0,
          })
          found.push(...rows)
          return more
        }
        const rowOf = (name: number) => `{"w":${name},"n":${counts[name]}}`
        const openFor = (name: number): number => {
          const file = open.get(name) ?? openSync(log, 'a', 0o600)
          open.set(name, file)
          return file
        }
        /**
         * A part is only written if no other writer's part is pending: a real writer adds a line
         * break.
         */
        const isTaken = (name: number) => started.size > 0 && !started.has(name)
        const finish = (name: number): void => {
          const text = rowOf(name)
          writeSync(openFor(name), `${started.has(name) ? text.slice(4) : text}\n`)
          written.push(text)
          counts[name] = (counts[name] ?? 0) + 1
          started.delete(name)
          closeSync(openFor(name))
          open.delete(name)
        }
        for (const next of steps) {
          if (next.do === 'open') openFor(next.writer)
          else if (next.do === 'part' && started.size === 0) {
            writeSync(openFor(next.writer), rowOf(next.writer).slice(0, 4))
            started.add(next.writer)
          } else if (next.do === 'rest' && !isTaken(next.writer)) finish(next.writer)
          else if (next.do === 'rotate' && readdirSync(home).includes('log.jsonl')) {
            for (let number = rotations++; number > 0; number--) {
              renameSync(`${log}.${number}`, `${log}.${number + 1}`)
            }
            renameSync(log, `${log}.1`)
          } else if (next.do === 'read') await read()
          else if (next.do === 'resume' && found.length > 0) {
            await follower.close()
            follower = createLogFollower({
              path: log,
              from: found.at(-1)?.position ?? '',
              maxReadBytes,
            })
          }
        }
        for (const name of started) finish(name)
        while (await read());
        await follower.close()
        for (const file of open.values()) closeSync(file)

        const texts = found.map(({ row }) => JSON.stringify(row))
        expect(texts.toSorted()).toEqual(written.toSorted())
        for (const name of [0, 1, 2]) {
          const own = found.filter(({ row }) => row.w === name).map(({ row }) => row.n)
          expect(own).toEqual(Array.from({ length: counts[name] ?? 0 }, (_, n) => n))
        }
      },
    ),
    { numRuns: 150 },
  )
}, 180_000)
