import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPattern } from './check-pattern.ts'
import { compilePattern } from './compile-pattern.ts'
import { createMatcher } from './linear-matcher.ts'
import { parseRegex } from './parse-regex.ts'
import { compileProgram } from './regex-program.ts'
import { requiredTexts } from './required-texts.ts'

/** Steps per instruction and position that no pattern may exceed. */
const MOST_STEPS = 8

/** Matches a pattern and compares the steps with the size of the pattern and the text. */
const countSteps = (source: string, text: string) => {
  const tree = parseRegex(source)
  const work = { steps: 0 }
  const matches = createMatcher(tree, work)(text)
  const most = MOST_STEPS * compileProgram(tree).size * (text.length + 1)
  return { matches, steps: work.steps, most }
}

const nest = (open: string, close: string, depth: number, middle = ''): string =>
  open.repeat(depth) + middle + close.repeat(depth)

/** Patterns of all supported syntax, nested, including parts that match nothing. */
const { pattern: anyPattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => {
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '*?', '{0}', '{2}', '{1,}', '{0,2}')
  const atom = fc.constantFrom('a', 'b', 'B', '.', '[ab]', '[^a]', '[a-c-]', '\\w', '\\s', '\\x61')
  const group = fc
    .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<n>'), tie('pattern'), quantifier)
    .map(([open, inner, how]) => `${open}${inner})${how}`)
  return {
    piece: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.tuple(atom, quantifier).map((parts) => parts.join('')),
      fc.constantFrom('^', '$', '\\b', '\\B'),
      group,
    ),
    pattern: fc
      .array(fc.array(tie('piece'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((ways) => ways.map((way) => way.join('')).join('|')),
  }
})
const anyText = fc.string({
  unit: fc.constantFrom('a', 'A', 'b', 'c', ' ', '-', '\n'),
  maxLength: 7,
})

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

  it('agrees with the JavaScript engine, in a bounded number of steps', () => {
    fc.assert(
      fc.property(anyPattern, anyText, (source, text) => {
        // Two groups may not have the same name.
        fc.pre(source.split('(?<n>').length < 3)
        const { matches, steps, most } = countSteps(source, text)
        expect(matches).toBe(new RegExp(source, 'i').test(text))
        expect(steps).toBeLessThanOrEqual(most)
      }),
      { numRuns: 5000 },
    )
  })

  it('ignores matches inside a range that is only data', () => {
    const { matches } = compilePattern('rm -rf')
    expect(matches('echo rm -rf', [{ start: 5, end: 11 }])).toBe(false)
    expect(matches('rm -rf', [{ start: 0, end: 2 }])).toBe(true)
  })

  it('counts a match that leaves one of several ranges', () => {
    const { matches } = compilePattern('ab+c')
    const ranges = [
      { start: 6, end: 9 },
      { start: 0, end: 3 },
    ]
    expect(matches('abc---abc', ranges)).toBe(false)
    expect(matches('abc-abbbc', ranges)).toBe(true)
  })

  it.each([
    ['a lookahead at every position', '(?=.*b)x'],
    ['a lookahead in a repetition', '^(?:a(?=.*b))*!'],
    ['nested lookaheads', nest('(?=.*', ')', 60, 'b')],
    ['nested negative lookaheads', nest('(?!a*', ')', 60, 'b')],
    ['repeated lookaheads', `${nest('(?=', '){9}', 60, 'a*b')}x`],
    ['repeated copies of a large lookahead', '(?:(?=(a{100}){9})a){99}b'],
    ['nested repetitions', `^${nest('(', ')*', 90, 'a*')}$`],
    ['nested repetitions of at least one', `^${nest('(', ')+', 90, 'a+')}$`],
    ['repetitions of a choice with nothing', `^${nest('(|', ')+', 90, 'a')}$`],
    ['repetitions of a choice of nothing', `^${nest('(?:|', '){2,}', 6, 'a')}$`],
    ['overlapping choices', '^(a|a|aa|a*)*$'],
    ['many optional parts', `^${'a?'.repeat(200)}${'a'.repeat(200)}$`],
  ])('needs no more steps than its size allows: %s', (_, source) => {
    const [short, long] = [400, 1600].map((length) => countSteps(source, `${'a'.repeat(length)}!`))
    expect(short?.steps).toBeLessThanOrEqual(short?.most ?? 0)
    expect(long?.steps).toBeLessThanOrEqual(long?.most ?? 0)
    expect(long?.matches).toBe(false)
  })

  it('compiles copies of copies of nothing', () => {
    // Making every copy would not end, so the test only checks that this returns.
    expect(compilePattern(nest('(', '){9}', 190)).matches('a')).toBe(true)
    expect(compilePattern(`${nest('(?=', '){9}', 130, 'b')}a`).matches('a')).toBe(false)
    expect(compilePattern(`^(${nest('(', '){9}', 90)}a)+$`).matches('aaa')).toBe(true)
  })

  it('matches sets with many members', () => {
    const set = `[${'a-z0-9'.repeat(100)}]`
    expect(compilePattern(`^${set}{9}$`).matches('A1b2C3d4e')).toBe(true)
    expect(compilePattern(`^${set}{9}$`).matches('A1b2C3d4\u00e9')).toBe(false)
  })

  it('still searches for patterns of up to 5000 instructions', () => {
    const source = '^(a{100}){49}b'
    expect(compileProgram(parseRegex(source)).size).toBe(4903)
    expect(compilePattern(source).matches(`${'a'.repeat(4900)}b`)).toBe(true)
    expect(checkPattern('(a{200}){26}')).toMatchObject({ ok: false })
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
    ['(', 'the pattern (: it has a ( that is not closed'],
    ['a)', 'it has a ) that is not opened'],
    ['[a', 'it has a [ that is not closed'],
    ['*a', 'it has nothing to repeat before *'],
    ['[z-a]', 'Range out of order'],
    ['', 'empty'],
    ['a'.repeat(1001), 'longer than'],
  ])('rejects %s with the reason', (source, reason) => {
    const checked = checkPattern(source)
    expect(checked.ok).toBe(false)
    if (!checked.ok) expect(checked.error.message).toContain(reason)
  })
})
