import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventRow, joinEvent } from './join-events.ts'
import { mergeRows } from './merge-rows.ts'

const rowOf = (key: string, atMs: number): EventRow =>
  joinEvent(undefined, key, {
    timestamp: new Date(atMs).toISOString(),
    session_id: 's',
    source: 'tool-activity',
    type: 'tool_use',
  })
const batch = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 1000 })))
  .map((pairs) => new Map(pairs.map(([id, atMs]) => [`k${id}`, rowOf(`k${id}`, atMs)])))

test('rows arriving in any order equal a sort of the newest of each', () => {
  fc.assert(
    fc.property(fc.array(batch), fc.integer({ min: 1, max: 20 }), (batches, most) => {
      let rows: EventRow[] = []
      const known = new Map<string, EventRow>()
      for (const changed of batches) {
        for (const [key, row] of changed) known.set(key, row)
        const merged = mergeRows(rows, changed, most)
        rows = merged.rows
        for (const { key } of merged.dropped) known.delete(key)
      }
      expect(new Set(rows)).toEqual(new Set(known.values()))
      expect(rows.length).toBeLessThanOrEqual(most)
      const times = rows.map(({ atMs }) => atMs)
      expect(times).toEqual(times.toSorted((one, other) => other - one))
    }),
  )
})

test('the oldest are dropped', () => {
  const changed = new Map([3, 1, 2].map((at) => [`k${at}`, rowOf(`k${at}`, at)]))
  const { rows, dropped } = mergeRows([rowOf('old', 0)], changed, 2)
  expect(rows.map(({ key }) => key)).toEqual(['k3', 'k2'])
  expect(dropped.map(({ key }) => key)).toEqual(['k1', 'old'])
})
