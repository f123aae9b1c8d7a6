import type { CatalogField } from '@steward/contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { controlOf, fillForm, orderFields, readForm } from './run-form.ts'

const field = (name: string, type: string, more: Partial<CatalogField> = {}): CatalogField => ({
  name,
  type,
  required: false,
  description: null,
  ...more,
})

it('has a control for each type', () => {
  const controls = [
    field('title', 'string'),
    field('content', 'string'),
    field('limit', 'integer'),
    field('urgent', 'boolean'),
    field('style', 'string', { enum: ['short', 'long'] }),
    field('options', 'object'),
    field('anything', 'any'),
  ].map(controlOf)
  expect(controls).toEqual(['text', 'longText', 'number', 'yesNo', 'choice', 'json', 'json'])
})

it('reads typed values and omits empty fields', () => {
  const fields = [
    field('title', 'string', { required: true }),
    field('limit', 'integer'),
    field('urgent', 'boolean'),
    field('tags', 'array'),
    field('note', 'string'),
  ]
  const values = { title: 'Harbour', limit: '3', urgent: 'false', tags: '["sea"]', note: ' ' }
  expect(readForm(fields, values)).toEqual({
    input: { title: 'Harbour', limit: 3, urgent: false, tags: ['sea'] },
    errors: {},
  })
})

it('names every mistake at its field', () => {
  const fields = [
    field('title', 'string', { required: true }),
    field('limit', 'integer'),
    field('rate', 'number'),
    field('tags', 'array'),
    field('options', 'object'),
  ]
  const typed = { limit: '1.5', rate: 'much', tags: '{}', options: '{"a":' }
  expect(readForm(fields, typed).errors).toEqual({
    title: 'is required',
    limit: 'must be a whole number, found 1.5',
    rate: 'must be a number, found much',
    tags: 'must be a JSON array: [ … ]',
    options: expect.stringContaining('is not valid JSON'),
  })
})

it('puts required fields first and otherwise keeps the order', () => {
  const fields = [field('a', 'string'), field('b', 'string', { required: true }), field('c', 'any')]
  expect(orderFields(fields).map(({ name }) => name)).toEqual(['b', 'a', 'c'])
})

it('reads back the input of an earlier run', () => {
  const name = fc.oneof(fc.string({ minLength: 1 }), fc.constant('__proto__'))
  fc.assert(
    fc.property(name, fc.jsonValue(), (key, value) => {
      const fields = [field(key, 'any')]
      const input = Object.fromEntries([[key, value]])
      const expected = JSON.parse(JSON.stringify(input))
      expect(readForm(fields, fillForm(fields, input)).input).toEqual(expected)
    }),
  )
})
