import { flowSource } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { selectPath } from './select-path.ts'

const answer = {
  data: { items: [{ id: 1, tags: ['a', 'b'] }, { id: 2, tags: ['c'] }, { tags: [] }] },
  'odd name': { "it's": 'here' },
}
const at = (path: string, value: unknown = answer): unknown => {
  const result = selectPath(value, path)
  return result.ok ? result.value : result.error.message
}

test('the supported forms', () => {
  expect(at('$')).toBe(answer)
  expect(at('$.data.items')).toBe(answer.data.items)
  expect(at('$.data.items[1].id')).toBe(2)
  expect(at("$['data']['items'][0]['id']")).toBe(1)
  expect(at('$["odd name"]')).toEqual({ "it's": 'here' })
  expect(at("$['odd name']['it\\'s']")).toBe('here')
  expect(at('$.data.items[*].id')).toEqual([1, 2])
  expect(at('$.data.items[*].tags[*]')).toEqual(['a', 'b', 'c'])
  expect(at('$[*].id', [{ id: 1 }])).toEqual([1])
  expect(at('$.über-uns', { 'über-uns': 1 })).toBe(1)
})

test('a missing value is undefined', () => {
  for (const path of [
    '$.nothing',
    '$.data.items[9]',
    '$.data[0]',
    '$.data[*]',
    '$.data.items.id',
  ]) {
    expect(at(path)).toBeUndefined()
  }
  expect(at('$.a', null)).toBeUndefined()
})

test('only own fields are visible', () => {
  expect(at('$.constructor')).toBeUndefined()
  expect(at('$.__proto__')).toBeUndefined()
  expect(at('$.data.items.length')).toBeUndefined()
})

test('anything else is reported with its position', () => {
  expect(at('data.items')).toBe("path 'data.items': must start with $, for example $.data.items")
  expect(at('$.items[?(@.id>1)]')).toBe(
    "path '$.items[?(@.id>1)]': '[?(@.id>1)]' at column 8 is not understood; use .name, ['name'], [0] or [*]",
  )
  for (const path of [
    '$..id',
    '$.a[-1]',
    '$.a[0:2]',
    '$.',
    '$[',
    '$.a b',
    "$['a",
    '',
    '$a',
    '$[01]',
  ]) {
    expect(at(path)).toContain(`path '${path}':`)
  }
})

/** Every value inside a value, with its path. */
const places = (value: unknown, path = '$'): [string, unknown][] => {
  const inner = Array.isArray(value)
    ? value.flatMap((element, index) => places(element, `${path}[${index}]`))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, element]) => {
          const quoted = key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
          return places(element, `${path}['${quoted}']`)
        })
      : []
  return [[path, value], ...inner]
}

test('every position of every value is reachable', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const [path, expected] of places(value)) expect(at(path, value)).toEqual(expected)
    }),
  )
})

const isAllowedInRegistry = (items: string): boolean =>
  flowSource.safeParse({ type: 'api', url: 'https://example.com', items }).success

test('no path makes it throw, and a registry allows exactly the valid ones', () => {
  const part = fc.constantFrom('$', '.', '[', ']', "'", '"', '*', '0', 'a', '\\', '?', '@')
  const path = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => `$${parts.join('')}`),
  )
  fc.assert(
    fc.property(path, fc.jsonValue(), (text, value) => {
      const result = selectPath(value, text)
      if (!result.ok) expect(result.error.code).toBe('invalid_input')
      expect(isAllowedInRegistry(text)).toBe(result.ok)
    }),
    { numRuns: 5000 },
  )
})
