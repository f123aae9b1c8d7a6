import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyMetadataPatch, findMetadataFault, hostedMetadata } from './metadata.ts'

const key = fc.string({ minLength: 1, maxLength: 64 })
const bag = fc.dictionary(key, fc.string(), { maxKeys: 16, noNullPrototype: true })
const patch = fc.dictionary(key, fc.option(fc.string(), { nil: null }), { noNullPrototype: true })

test('a patch sets keys, removes keys that are null, and keeps the others', () => {
  fc.assert(
    fc.property(bag, patch, (before, change) => {
      const after = applyMetadataPatch(before, change)
      for (const name of new Set([...Object.keys(before), ...Object.keys(change)])) {
        const expected = Object.hasOwn(change, name) ? change[name] : before[name]
        expect(Object.hasOwn(after, name) ? after[name] : null).toBe(expected)
      }
      expect(applyMetadataPatch(after, change)).toEqual(after)
    }),
  )
})

test('no patch keeps, null empties, an empty string deletes only where allowed', () => {
  expect(applyMetadataPatch({ a: '1' }, undefined)).toEqual({ a: '1' })
  expect(applyMetadataPatch({ a: '1' }, null)).toEqual({})
  expect(applyMetadataPatch({ a: '1' }, { a: '' })).toEqual({ a: '' })
  expect(applyMetadataPatch({ a: '1', b: '2' }, { a: '' }, 'deletes')).toEqual({ b: '2' })
})

test('there are 16 pairs at most, also after a patch', () => {
  const full = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`k${index}`, 'v']))
  expect(hostedMetadata.safeParse(full).success).toBe(true)
  expect(hostedMetadata.safeParse({ ...full, more: 'v' }).success).toBe(false)
  expect(findMetadataFault(full)).toBeUndefined()
  expect(findMetadataFault(applyMetadataPatch(full, { more: 'v' }))).toBe('at most 16 pairs')
})
