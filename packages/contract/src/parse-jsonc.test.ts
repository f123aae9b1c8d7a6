import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJsonc } from './parse-jsonc.ts'

test('removes comments, but not inside strings', () => {
  const text = `// made by hand
{ "url": "https://example.com", /* two
lines */ "path": "a/*b*/c", "quote": "\\"//" }`
  expect(parseJsonc(text, 'x.jsonc')).toEqual({
    ok: true,
    value: { url: 'https://example.com', path: 'a/*b*/c', quote: '"//' },
  })
})

test('JSON is unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(parseJsonc(text, 'x')).toEqual({ ok: true, value: JSON.parse(text) })
    }),
  )
})

test('reports a mistake with its position in the file', () => {
  const read = parseJsonc('// one\n{ "a": /* two */ ! }', 'x.jsonc')
  expect(read.ok ? '' : read.error.message).toContain('line 2, column 18')
})
