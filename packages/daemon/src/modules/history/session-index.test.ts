import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventSource, StewardEvent } from '@steward/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { FoundRow } from './apply-rows.ts'
import { openSessionIndex } from './session-index.ts'

const NOW = Date.UTC(2026, 10, 17, 12, 20)
const HOUR_MS = 3_600_000
const QUIET_MS = NOW - 2 * HOUR_MS

let root: string
let made = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'steward-index-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A log file that was rotated has another inode. */
const FILES: ReadonlyArray<{ source: EventSource; inode: string }> = [
  { source: 'tool-activity', inode: '1' },
  { source: 'tool-activity', inode: '2' },
  { source: 'tool-failure', inode: '3' },
]
interface GivenRow {
  file: (typeof FILES)[number]
  session: string
  type: string
  agoMs: number
}
const rows: fc.Arbitrary<GivenRow[]> = fc.array(
  fc.record({
    file: fc.constantFrom(...FILES),
    session: fc.constantFrom('a', 'b', 'c', 'd'),
    type: fc.constantFrom('user_prompt', 'tool_use', 'turn_end', 'stop_failure', 'session_end'),
    agoMs: fc.integer({ min: 0, max: 6 * HOUR_MS }),
  }),
  { minLength: 1, maxLength: 40 },
)

const rowOf = ({ session, type, agoMs, file }: GivenRow, offset: number): FoundRow => {
  const timestamp = new Date(NOW - agoMs).toISOString()
  const event: StewardEvent = {
    ...{ timestamp, session_id: session, source: file.source, type, host: 'claude' },
  }
  return { event, atMs: NOW - agoMs, start: offset * 100, end: offset * 100 + 99 }
}

it('sums and pages rows as a count of all of them does', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 5 }), (given, limit) => {
      const index = openSessionIndex(join(root, `${++made}.sqlite`))
      const readTo = new Map<string, number>()
      for (const [offset, each] of given.entries()) {
        const { source, inode } = each.file
        const from = readTo.get(inode) ?? 0
        const to = offset * 100 + 100
        index.add(source, { inode, fingerprint: 'f' }, { from, to }, [rowOf(each, offset)])
        readTo.set(inode, to)
      }
      expect(index.countPlaces()).toBe(given.length)

      const sinceMs = NOW - 3 * HOUR_MS
      const recent = given.filter(({ agoMs }) => NOW - agoMs >= sinceMs)
      const byHour = Map.groupBy(recent, ({ agoMs }) => Math.floor((NOW - agoMs) / HOUR_MS))
      expect(new Map(index.activity(sinceMs).hours)).toEqual(
        new Map(
          [...byHour]
            .toSorted(([a], [b]) => a - b)
            .map(([hour, own]) => [
              hour,
              {
                events: own.length,
                failures: own.filter(({ file }) => file.source === 'tool-failure').length,
              },
            ]),
        ),
      )

      for (const source of ['tool-activity', 'tool-failure'] as const) {
        const wanted = given
          .filter(({ file }) => file.source === source)
          .map(({ agoMs }) => NOW - agoMs)
          .toSorted((a, b) => b - a)
        const paged: number[] = []
        let at: { atMs: number; row: number } | undefined
        for (;;) {
          const page = index.allPlaces({ limit, source, ...(at === undefined ? {} : { at }) })
          paged.push(...page.map(({ atMs }) => atMs))
          at = page.at(-1)
          if (page.length < limit) break
        }
        expect(paged).toEqual(wanted)
      }

      const { sessions, groups, total } = index.list({ limit: 10, quietMs: QUIET_MS })
      for (const group of ['needs', 'running', 'idle', 'done'] as const) {
        const own = index.list({ limit: 10, quietMs: QUIET_MS, group })
        expect(groups.get(group) ?? 0).toBe(own.sessions.length)
        expect(own.total).toBe(own.sessions.length)
      }
      expect(total).toBe(sessions.length)
      expect(index.count()).toBe(sessions.length)
      void index.close()
    }),
    { numRuns: 60 },
  )
}, 120_000)
