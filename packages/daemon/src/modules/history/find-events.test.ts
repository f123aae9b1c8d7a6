import type { StewardEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { findEvents } from './find-events.ts'
import type { IndexedPlace } from './session-index.ts'

const NOW = Date.UTC(2026, 2, 7, 12)
const COUNT = 1300
const eventOf = (n: number): StewardEvent => ({
  timestamp: new Date(NOW - n * 1000).toISOString(),
  session_id: n % 2 === 0 ? 'even' : 'odd',
  source: n % 10 === 0 ? 'tool-failure' : 'tool-activity',
  type: 'tool_use',
  tool_name: n % 3 === 0 ? 'Bash' : 'Read',
  n,
})
const PLACES = Array.from({ length: COUNT }, (_, n): IndexedPlace & { n: number } => ({
  ...{ source: 'tool-activity', inode: '1', fingerprint: 'f', start: 0, end: 1 },
  ...{ atMs: NOW - n * 1000, row: COUNT - n, n },
}))
const index = {
  countPlaces: () => COUNT,
  allPlaces: ({
    limit,
    at,
    sinceMs = 0,
  }: {
    limit: number
    at?: { atMs: number; row: number }
    sinceMs?: number
  }) =>
    PLACES.filter(({ atMs }) => atMs >= sinceMs && (at === undefined || atMs < at.atMs)).slice(
      0,
      limit,
    ),
}
/** Every seventh row is in a log that was removed. */
const read = async (places: readonly IndexedPlace[]) =>
  places.flatMap((place) => {
    const n = (NOW - place.atMs) / 1000
    return n % 7 === 0 ? [] : [{ place, event: eventOf(n) }]
  })
const readAll = async (q: string, limit: number): Promise<number[]> => {
  const found: number[] = []
  let before: string | undefined
  do {
    const page = await findEvents(index, read, { limit, q, before }, NOW)
    found.push(...page.events.map(({ n }) => Number(n)))
    before = page.next ?? undefined
  } while (before !== undefined)
  return found
}

it('pages through everything once, whatever the size of a page', async () => {
  const all = Array.from({ length: COUNT }, (_, n) => n).filter((n) => n % 7 !== 0)
  expect(await readAll('', 100)).toEqual(all)
  expect(await readAll('', 499)).toEqual(all)
})

it('applies the filter of the page to the whole history', async () => {
  const bash = Array.from({ length: COUNT }, (_, n) => n).filter((n) => n % 3 === 0 && n % 7 !== 0)
  expect(await readAll('tool:bash', 50)).toEqual(bash)
  expect(await readAll('tool:bash since:30s', 50)).toEqual(bash.filter((n) => n <= 30))
  expect(await readAll('nothing-has-this', 50)).toEqual([])
})
