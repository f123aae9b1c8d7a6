import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonReader } from './read-json.ts'

describe('createJsonReader', () => {
  const readAny = createJsonReader(undefined)

  it('finds any object, whatever surrounds it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== '__proto__'),
          fc.jsonValue(),
        ),
        fc.stringMatching(/^[^{}[\]]*$/),
        fc.stringMatching(/^[^{}[\]]*$/),
        (value, before, after) => {
          const written = JSON.parse(JSON.stringify(value))
          expect(readAny(`${before}${JSON.stringify(value)}${after}`)).toEqual({
            ok: true,
            value: written,
          })
        },
      ),
    )
  })

  it('drops a key that would change the prototype', () => {
    expect(readAny('{"__proto__": {"a": 1}, "b": 2}')).toEqual({ ok: true, value: { b: 2 } })
  })

  it('never throws on text', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof readAny(text).ok === 'boolean'))
  })

  it('reports every invalid field', () => {
    const read = createJsonReader({
      type: 'object',
      properties: { a: { type: 'integer', maximum: 5 }, b: { type: 'array', maxItems: 1 } },
      required: ['a', 'b', 'c'],
    })
    const result = read('{"a": 9, "b": [1, 2]}')
    expect(result).toMatchObject({ ok: false })
    expect(result).toHaveProperty('reason', expect.stringMatching(/a: .*b: .*c: /))
  })

  it.each([
    [{ properties: { a: { type: 'integer' } } }, '{"a": "no"}'],
    [{ type: 'object', required: ['a'] }, '{}'],
    [{ type: 'array', maxItems: 1 }, '[1, 2]'],
    [{ properties: { a: { anyOf: [{ type: 'array', minItems: 1 }] } } }, '{"a": []}'],
  ])('enforces what %j implies', (schema, text) => {
    expect(createJsonReader(schema)(text)).toMatchObject({ ok: false })
  })

  it('requires an object without a schema', () => {
    expect(readAny('[1]')).toMatchObject({ ok: false })
    expect(createJsonReader({ type: 'array' })('[1]')).toEqual({ ok: true, value: [1] })
  })
})
