import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJsonObject } from './is-json-object.ts'
import { isJsonDeeperThan } from './json-depth.ts'
import { LIMITS } from './limits.ts'
import { parseJson, positionsOfJson } from './parse-json.ts'

const LENGTH = 64 * 1024
const fill = (piece: string): string => piece.repeat(Math.floor(LENGTH / piece.length))
const nest = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`

const HOSTILE: Record<string, string> = {
  '100,000 levels of arrays': nest(100_000),
  '100,000 levels of objects': `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
  'arrays that never end': '['.repeat(500_000),
  'objects that never end': fill('{"a":'),
  'closing brackets only': fill(']'),
  'brackets in a string': JSON.stringify({ a: '['.repeat(LENGTH) }),
  'a string that never ends': `"${fill('a')}`,
  'escapes that never end': `"${fill('\\')}`,
  'half an escape': `["${fill('\\u00')}"]`,
  'a number of 64,000 digits': fill('9'),
  'an exponent out of range': '[1e999999999]',
  'keys that name the prototype': `{${fill('"__proto__":{},').slice(0, -1)}}`,
  'a million commas': ','.repeat(1_000_000),
  'one line of characters in two units': `["${'😀'.repeat(200_000)}", x]`,
  'line breaks only': '\n\r'.repeat(LENGTH),
  'byte order marks': fill('\uFEFF'),
  'text with null bytes': fill('\u0000'),
}

/** The value can be walked and serialised, or the error is the one of the table. */
const check = (text: string, levels?: number): void => {
  const parsed = parseJson(text, 'input', levels)
  if (parsed.ok) expect(() => JSON.stringify(parsed.value)).not.toThrow()
  else expect(parsed.error.code).toBe('invalid_json')
  expect(() => JSON.stringify(parseJsonObject(text))).not.toThrow()
}

describe('hostile JSON', () => {
  it.each(Object.entries(HOSTILE))('is parsed or refused: %s', (_, text) => check(text))

  it('is refused above a depth, which the caller may lower', () => {
    expect(parseJson(nest(LIMITS.storedJsonDepth), 'input').ok).toBe(true)
    expect(parseJson(nest(LIMITS.storedJsonDepth + 1), 'input')).toMatchObject({
      error: { code: 'invalid_json', message: expect.stringContaining('nests deeper than 200') },
    })
    expect(parseJson(nest(LIMITS.jsonDepth), 'input', LIMITS.jsonDepth).ok).toBe(true)
    expect(parseJson(nest(LIMITS.jsonDepth + 1), 'input', LIMITS.jsonDepth).ok).toBe(false)
    expect(parseJsonObject(`{"a":${nest(LIMITS.storedJsonDepth)}}`)).toBe(undefined)
  })

  it('is placed in a time that grows with its length', () => {
    const members = Array.from({ length: 20_000 }, (_, index) => `"k${index}": 1`)
    expect(positionsOfJson(`{\n${members.join(',\n')}\n}`).get('k19999')).toEqual({
      line: 20_001,
      column: 1,
    })
    const line = `{"😀": 1, ${members.join(', ')}}`
    expect(positionsOfJson(line).get('k19999')?.column).toBe(
      [...line].length - '"k19999": 1'.length,
    )
  })

  it('never throws, in 500 generated variations', () => {
    const piece = fc.constantFrom(
      ...['[', ']', '{', '}', '{"a":', '"a"', ':', ',', '"', '\\', '\\u', '\\ud83d', '1', '-', '.'],
      ...['e9', 'null', 'true', ' ', '\n', '\r', '\t', '\u0000', '\uFEFF', '😀', '//', '[[],'],
    )
    const pieces = fc.array(fc.tuple(piece, fc.integer({ min: 1, max: 5000 })), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (parts) => {
        check(parts.map(([each, count]) => each.repeat(count)).join(''), LIMITS.jsonDepth)
      }),
      { numRuns: 500 },
    )
  })
})

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
    : 0

it('measures the depth of any value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, spaced) => {
      const text = JSON.stringify(value, null, spaced ? 2 : 0)
      const depth = depthOf(value)
      expect(isJsonDeeperThan(text, depth)).toBe(false)
      if (depth > 0) expect(isJsonDeeperThan(text, depth - 1)).toBe(true)
    }),
  )
})
