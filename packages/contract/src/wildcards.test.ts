import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findWildcardEnds, matchesWildcards, parseWildcards, type Wildcard } from './wildcards.ts'

const part = fc.oneof(
  fc.constantFrom<Wildcard>({ kind: 'char', char: 'a' }, { kind: 'char', char: '/' }),
  fc.constantFrom<Wildcard>({ kind: 'one' }, { kind: 'one', but: '/' }),
  fc.constantFrom<Wildcard>({ kind: 'many' }, { kind: 'many', but: '/' }),
)
const group = fc
  .array(part, { minLength: 1, maxLength: 2 })
  .map((parts): Wildcard[] => [{ kind: 'optional', parts: parts.length }, ...parts])
const anyPattern = fc
  .array(
    fc.oneof(
      part.map((each) => [each]),
      group,
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.flat())
const anyText = fc.string({ unit: fc.constantFrom('a', 'b', '/', '\n'), maxLength: 6 })

/** The same pattern as a regular expression. */
const sourceOf = (pattern: readonly Wildcard[]): string => {
  const [first, ...rest] = pattern
  if (first === undefined) return ''
  if (first.kind === 'char') return first.char + sourceOf(rest)
  if (first.kind === 'optional') {
    const inner = sourceOf(rest.slice(0, first.parts))
    return `(?:${inner})?${sourceOf(rest.slice(first.parts))}`
  }
  const one = first.but === undefined ? '[^]' : `[^${first.but}]`
  return `${one}${first.kind === 'many' ? '*' : ''}${sourceOf(rest)}`
}

describe('wildcards', () => {
  it('match what the same regular expression matches, from each start to each end', () => {
    fc.assert(
      fc.property(anyPattern, anyText, fc.boolean(), (pattern, text, isLatest) => {
        const whole = new RegExp(`^(?:${sourceOf(pattern)})$`)
        const positions = Array.from({ length: text.length + 1 }, (_, index) => index)
        const startsFor = (end: number) =>
          positions.filter((start) => start <= end && whole.test(text.slice(start, end)))
        const keeps = isLatest ? 'latest' : 'earliest'
        expect([...findWildcardEnds(pattern, text, { starts: 'anywhere', keeps })]).toEqual(
          positions.map((end) => startsFor(end).at(isLatest ? -1 : 0) ?? -1),
        )
        expect([...findWildcardEnds(pattern, text)]).toEqual(
          positions.map((end) => (startsFor(end).includes(0) ? 0 : -1)),
        )
        expect(matchesWildcards(pattern, text)).toBe(whole.test(text))
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['a*c', 'abc', true],
    ['a*c', 'ac', true],
    ['a?c', 'ac', false],
    ['**', '', true],
    ['a.c', 'abc', false],
    ['\u{1F600}*', '\u{1F600}!', true],
  ])('%s on %s is %s', (pattern, text, expected) =>
    expect(matchesWildcards(parseWildcards(pattern), text)).toBe(expected),
  )

  it('take one step for each part and character, however many stars there are', () => {
    const pattern = parseWildcards(`${'*a'.repeat(200)}b`)
    const work = { steps: 0 }
    expect(matchesWildcards(pattern, 'a'.repeat(2000), work)).toBe(false)
    expect(work.steps).toBe(pattern.length * 2001)
  })
})
