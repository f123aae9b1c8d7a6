import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPattern } from './check-pattern.ts'
import { compilePattern } from './compile-pattern.ts'
import { parseRegex } from './parse-regex.ts'
import { requiredTexts } from './required-texts.ts'

describe('the linear matcher', () => {
  it.each([
    ['a+b', 'xaab', true],
    ['^a', 'ba', false],
    ['a$', 'ba', true],
    ['[^a-c]x', 'dx', true],
    ['\\bgit\\b', 'GIT push', true],
    ['a{2,3}$', 'aaa', true],
    ['(?!.*-n)x', 'x -n', false],
    ['^x(?=.*y)', 'x..y', true],
    ['\\u0041\\x42', 'ab', true],
  ])('%s on %s', (source, text, expected) =>
    expect(compilePattern(source).matches(text)).toBe(expected),
  )

  it('agrees with the JavaScript engine on syntax that both support', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\s', '^', '$', '\\b')
    const quantifier = fc.constantFrom('', '', '*', '+', '?', '{1,2}')
    const part = fc
      .tuple(atom, quantifier)
      .map(([each, how]) =>
        /^[\^$\\]/.test(each) && each !== '\\w' && each !== '\\s' ? each : each + how,
      )
    const sequence = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
    const source = fc.oneof(
      sequence,
      fc.tuple(sequence, sequence).map(([a, b]) => `(${a}|${b})`),
      fc.tuple(sequence, sequence).map(([a, b]) => `${a}(?!${b})`),
    )
    fc.assert(
      fc.property(
        source,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 8 }),
        (pattern, text) => {
          expect(compilePattern(pattern).matches(text)).toBe(new RegExp(pattern, 'i').test(text))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('ignores matches inside a range that is only data', () => {
    const { matches } = compilePattern('rm -rf')
    expect(matches('echo rm -rf', [{ start: 5, end: 11 }])).toBe(false)
    expect(matches('rm -rf', [{ start: 0, end: 2 }])).toBe(true)
  })

  it('is not slowed by patterns that cause backtracking elsewhere', () => {
    // A backtracking matcher would take hours, so it is enough that this returns.
    expect(compilePattern('^(a+)+$').matches(`${'a'.repeat(5000)}b`)).toBe(false)
  })
})

describe('requiredTexts', () => {
  it.each([
    ['\\b(drop|truncate)\\s+table', ['table']],
    ['foo|bar', ['foo', 'bar']],
    ['(abc)?d', undefined],
    ['x.*', undefined],
  ])('%s', (source, expected) => expect(requiredTexts(parseRegex(source))).toEqual(expected))
})

describe('checkPattern', () => {
  it('accepts patterns that can be matched in linear time', () => {
    expect(checkPattern('^(a+)+$')).toEqual({ ok: true, value: '^(a+)+$' })
  })

  it.each([
    ['(a)\\1', 'refers back'],
    ['(?<=a)b', 'looks behind'],
    ['a{1000}', 'repeats more than'],
    ['(', 'not closed'],
    ['[z-a]', 'Range out of order'],
    ['', 'empty'],
    ['a'.repeat(1001), 'longer than'],
  ])('rejects %s with the reason', (source, reason) => {
    const checked = checkPattern(source)
    expect(checked.ok).toBe(false)
    if (!checked.ok) expect(checked.error.message).toContain(reason)
  })
})
