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

test('reads text in which nothing ends in a single pass', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  for (const part of ['"\\', '/*', '"a/*']) {
    expect(parseJsonc(part.repeat(200_000), 'x').ok).toBe(false)
  }
  expect(parseJsonc('{} /* never closed', 'x').ok).toBe(false)
  expect(parseJsonc('{} /*/', 'x').ok).toBe(false)
})
