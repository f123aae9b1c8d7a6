import { expect, it } from 'vitest'
import { lineageOf } from './lineage.ts'

const ITEMS = [
  { id: 'SR-1' },
  { id: 'ID-1', from: 'SR-1' },
  { id: 'ID-2', from: 'SR-1' },
  { id: 'HY-1', from: 'ID-1' },
  { id: 'EX-1', from: 'HY-1' },
]
const line = (id: string, items: Parameters<typeof lineageOf>[1] = ITEMS) =>
  [...lineageOf(id, items)].sort()

it('goes up to its origins and down to everything derived from it', () => {
  expect(line('ID-1')).toEqual(['EX-1', 'HY-1', 'ID-1', 'SR-1'])
  expect(line('SR-1')).toEqual(['EX-1', 'HY-1', 'ID-1', 'ID-2', 'SR-1'])
  expect(line('ID-2')).toEqual(['ID-2', 'SR-1'])
})

it('ends in a circle and with an origin that is gone', () => {
  expect(
    line('A', [
      { id: 'A', from: 'B' },
      { id: 'B', from: 'A' },
    ]),
  ).toEqual(['A', 'B'])
  expect(line('A', [{ id: 'A', from: 'GONE' }])).toEqual(['A', 'GONE'])
})
