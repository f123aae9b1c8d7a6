import { expect, it } from 'vitest'
import { helpAt, pathAt } from './schema-help.ts'

const SCHEMA = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'Its name.' },
    source: {
      anyOf: [
        { properties: { type: { const: 'rss' }, url: { description: 'The feed.' } } },
        { properties: { type: { const: 'file' }, path: { description: 'The folder.' } } },
      ],
    },
    list: { type: 'array', items: { properties: { enabled: { type: 'boolean' } } } },
  },
}
const TEXT = `{ "name": "a {b}", "source": { "type": "file", "p": "x" }, "list": [{ "enabled": true }] }`
const at = (part: string) => TEXT.indexOf(part) + 1

it('finds the place of the cursor', () => {
  expect(pathAt(TEXT, 2)).toEqual([])
  expect(pathAt(TEXT, at('"type"'))).toEqual(['source'])
  expect(pathAt(TEXT, at('"enabled"'))).toEqual(['list', '0'])
  expect(pathAt(TEXT, TEXT.length - 1)).toEqual([])
})

it('names the fields of that place, of the alternative that the text uses', () => {
  const source = helpAt(SCHEMA, TEXT, at('"type"'))
  expect(source.path).toBe('source')
  expect(source.fields.map(({ name }) => name)).toEqual(['type', 'path'])
  expect(helpAt(SCHEMA, TEXT, at('"enabled"')).fields).toMatchObject([
    { name: 'enabled', values: ['true', 'false'], isPresent: true },
  ])
  expect(helpAt(SCHEMA, TEXT, 1).fields).toMatchObject([
    { name: 'name', required: true, isPresent: true },
    { name: 'source' },
    { name: 'list' },
  ])
})

it('names the fields of all alternatives while the text is not valid', () => {
  const text = '{ "source": { '
  expect(helpAt(SCHEMA, text, text.length)).toMatchObject({
    path: 'source',
    fields: [{ name: 'type', values: ['rss', 'file'] }, { name: 'url' }, { name: 'path' }],
  })
})
