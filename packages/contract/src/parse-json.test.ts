import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, positionsOfJson } from './parse-json.ts'
import { scanJson } from './scan-json.ts'

const reasonFor = (text: string): string => {
  const parsed = parseJson(text, 'input')
  return parsed.ok ? 'valid' : parsed.error.message
}

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('parseJson', () => {
  it('gives the value', () => {
    expect(parseJson(' {"a": [1, -2.5e3, "x\\u00e9", null, true]} ', 'input')).toEqual({
      ok: true,
      value: { a: [1, -2500, 'xé', null, true] },
    })
  })

  it('ignores a byte order mark, which some editors put in front', () => {
    expect(parseJson('\uFEFF{"a":1}', 'input')).toEqual({ ok: true, value: { a: 1 } })
  })

  it('points at the spot', () => {
    expect(reasonFor('{\n  "a": 1,\n  "b": oops\n}')).toBe(
      'input is not valid JSON: expected a value, found oops at line 3, column 8\n' +
        '    "b": oops\n         ^',
    )
  })

  it.each([
    ['', 'the text ends where a value should be at line 1, column 1'],
    ['{"a": 1,}', 'a comma before } is not allowed at line 1, column 9'],
    ['[1, 2, ]', 'a comma before ] is not allowed at line 1, column 8'],
    ['[1', 'the text ends before the array is closed with ] at line 1, column 3'],
    ['{"a": {', 'the text ends before the object is closed with } at line 1, column 8'],
    ["{'a': 1}", "expected a key in double quotes, found ' at line 1, column 2"],
    ['{a: 1}', 'expected a key in double quotes, found a at line 1, column 2'],
    ["['x']", 'strings need double quotes, found a single quote at line 1, column 2'],
    ['{"a" 1}', 'expected : after the key, found 1 at line 1, column 6'],
    ['{"a": 1 "b": 2}', 'expected , or }, found " at line 1, column 9'],
    ['{"a": 1} x', 'unexpected x after the end at line 1, column 10'],
    ['{"a": 1} // note', 'unexpected / after the end'],
    ['{ // note\n"a": 1}', 'comments are not allowed at line 1, column 3'],
    ['"abc', 'the text ends before the string is closed with " at line 1, column 5'],
    ['"a\nb"', 'a line break must be escaped inside a string at line 1, column 3'],
    ['"a\\xb"', 'there is no escape \\x at line 1, column 3'],
    ['"\\u12g4"', 'an escape \\u needs four hexadecimal digits at line 1, column 2'],
    ['[01]', 'not a number as JSON writes it at line 1, column 3'],
    ['[-]', 'not a number as JSON writes it'],
    ['NaN', 'expected a value, found NaN at line 1, column 1'],
    ['["😀", x]', 'expected a value, found x at line 1, column 7'],
  ])('says what is wrong with %s', (text, reason) => {
    expect(reasonFor(text)).toContain(reason)
  })

  it('keeps the line it shows short and its caret under the spot', () => {
    const lines = reasonFor(`{"a": "${'x'.repeat(5000)}", b: "${'y'.repeat(5000)}"}`).split('\n')
    expect(lines[1]?.length).toBeLessThan(80)
    expect(lines[1]?.charAt(lines[2]?.indexOf('^') ?? -1)).toBe('b')
  })

  it('survives any depth', () => {
    expect(reasonFor('['.repeat(200_000))).toContain('the text ends')
  })
})

describe('scanJson', () => {
  const damaged = fc
    .tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), fc.nat(3))
    .map(([text, seed, insert, cut]) => {
      const at = seed % (text.length + 1)
      return text.slice(0, at) + insert + text.slice(at + cut)
    })

  it('finds a fault exactly where JSON.parse does', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]:,"\\/ \n0123eE+-.truefalsn') })
    fc.assert(
      fc.property(fc.oneof(fc.json(), damaged, noise, fc.string({ unit: 'binary' })), (text) => {
        expect(scanJson(text) === undefined).toBe(parses(text))
      }),
      { numRuns: 3000 },
    )
  })

  it('finds the fault no later than a cut', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, seed) => {
        const cut = text.slice(0, seed % text.length)
        if (!parses(cut)) expect(scanJson(cut)?.offset).toBeLessThanOrEqual(cut.length)
      }),
    )
  })
})

describe('positionsOfJson', () => {
  it('knows the line of every member and element', () => {
    const positions = positionsOfJson('{\n  "a": {\n    "b": [\n      1,\n      2\n    ]\n  }\n}')
    expect(Object.fromEntries(positions)).toEqual({
      a: { line: 2, column: 3 },
      'a.b': { line: 3, column: 5 },
      'a.b[0]': { line: 4, column: 7 },
      'a.b[1]': { line: 5, column: 7 },
    })
  })
})
