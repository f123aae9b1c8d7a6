import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createRedactor, eventLogPath, resolveHome } from '@steward/platform'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { gatherDays } from './gather-days.ts'

const DAY_MS = 86_400_000
const FIRST = Date.UTC(2026, 2, 1)
const BLOCK_BYTES = 64 * 1024
let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'diary-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true, force: true })
})

/** Evenly spaced rows over thirty days. */
const writeActivity = (rowsPerDay: number): string => {
  const path = eventLogPath(resolveHome({ STEWARD_HOME: root }, root), 'tool-activity')
  mkdirSync(dirname(path), { recursive: true })
  const rows = Array.from({ length: rowsPerDay * 30 }, (_, row) => {
    const timestamp = new Date(FIRST + (row * DAY_MS) / rowsPerDay).toISOString()
    return JSON.stringify({ timestamp, tool_name: 'Bash', preview: 'x'.repeat(100) })
  })
  writeFileSync(path, `${rows.join('\n')}\n`)
  return path
}
const boundsOf = (day: number) => ({
  date: new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10),
  fromMs: FIRST + day * DAY_MS,
  toMs: FIRST + (day + 1) * DAY_MS,
})
const gather = (days: readonly number[]) =>
  gatherDays(days.map(boundsOf), {
    home: resolveHome({ STEWARD_HOME: root }, root),
    redactor: () => createRedactor({}),
    runs: () => [],
  })

test('a week is counted with one read of its part of the log', async () => {
  const path = writeActivity(500)
  const handle = await open(path)
  const reads = vi.spyOn(Object.getPrototypeOf(handle), 'read')
  await handle.close()
  const days = await gather([23, 24, 25, 26, 27, 28, 29])
  expect(days.map(({ date, toolCalls, isCut }) => [date, toolCalls, isCut])).toEqual(
    days.map(({ date }) => [date, 500, false]),
  )
  const bytes = reads.mock.calls
    .map(([, , length]) => (typeof length === 'number' ? length : 0))
    .reduce((sum, length) => sum + length, 0)
  const weekBytes = (statSync(path).size / 30) * 7
  expect(bytes).toBeGreaterThan(weekBytes)
  expect(bytes).toBeLessThan(weekBytes + weekBytes / 24 + 2 * BLOCK_BYTES)
})

test('a day with more rows than the limit has lower bounds and is marked as cut', async () => {
  writeActivity(25_000)
  const [day] = await gather([29])
  expect(day).toMatchObject({ toolCalls: 20_000, isCut: true })
})

test('a day without rows is empty and not cut', async () => {
  writeActivity(10)
  const [day] = await gather([40])
  expect(day).toMatchObject({ prompts: 0, toolCalls: 0, sessions: [], isCut: false })
})
