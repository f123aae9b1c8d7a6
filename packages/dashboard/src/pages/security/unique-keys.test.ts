import { expect, it } from 'vitest'
import { withKeys } from './unique-keys.ts'

it('gives each item a unique key that is stable when new ones are prepended', () => {
  const keysOf = (...names: string[]) => withKeys(names, (name) => name).map(({ key }) => key)
  expect(keysOf('a', 'b', 'a')).toEqual(['a #2', 'b', 'a'])
  expect(keysOf('a', 'a', 'b', 'a')).toEqual(['a #3', 'a #2', 'b', 'a'])
  expect(keysOf()).toEqual([])
})
