import { expect, it } from 'vitest'
import { entriesOf, isFolded, summarise } from './fold-json.ts'

it('names the content', () => {
  expect(entriesOf(['a'])).toEqual([['0', 'a']])
  expect(entriesOf({ b: 1 })).toEqual([['b', 1]])
  expect(entriesOf(null)).toBeUndefined()
  expect(entriesOf('text')).toBeUndefined()
  expect([summarise({}), summarise({ a: 1 }), summarise([1, 2])]).toEqual([
    '{0 fields}',
    '{1 field}',
    '[2 entries]',
  ])
})

it('opens the top level and small values, and folds the rest', () => {
  const many = Array.from({ length: 40 }, (_, n) => n)
  expect(isFolded(many, 0)).toBe(false)
  expect(isFolded(many, 1)).toBe(true)
  expect(isFolded({ a: 1 }, 1)).toBe(false)
  expect(isFolded({ a: 1 }, 2)).toBe(true)
})
