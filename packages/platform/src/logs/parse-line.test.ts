import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLine } from './parse-line.ts'

test.each([
  ['{"a":1}', 'row'],
  [' {"a":"ä"} \r', 'row'],
  ['', 'blank'],
  [' \t\r', 'blank'],
  ['[1]', 'foreign'],
  ['null', 'foreign'],
  ['"text"', 'foreign'],
  ['{"a":1', 'foreign'],
  ['{"a":1}{"b":2}', 'foreign'],
  ['Oct 12 host kernel: text', 'foreign'],
  ['{"a":"\u0000"}', 'binary'],
])('%j is %s', (text, kind) => {
  expect(parseLine(Buffer.from(text)).kind).toBe(kind)
})

test('invalid UTF-8 is binary, also inside of JSON', () => {
  expect(parseLine(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])).kind).toBe('binary')
})

test('a row nested too deeply to be serialised is foreign', () => {
  const nested = (levels: number) => Buffer.from(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`)
  expect(parseLine(nested(99)).kind).toBe('row')
  expect(parseLine(nested(100)).kind).toBe('foreign')
  expect(parseLine(nested(120_000)).kind).toBe('foreign')
})

test('a key that names the prototype is a field like any other', () => {
  const parsed = parseLine(Buffer.from('{"__proto__":{"admin":true},"a":1}'))
  expect(parsed.kind === 'row' && parsed.row.admin).toBeUndefined()
})

test('no bytes make it throw, and every JSON value round-trips', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => parseLine(Buffer.from(bytes)).kind !== undefined),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (row) => {
      const text = JSON.stringify(row)
      expect(JSON.stringify(parseLine(Buffer.from(text)))).toBe(`{"kind":"row","row":${text}}`)
    }),
  )
})
