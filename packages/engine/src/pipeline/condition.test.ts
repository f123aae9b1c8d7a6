import { describe, expect, it } from 'vitest'
import { compileCondition } from './condition.ts'

const compiled = (expression: string) => {
  const result = compileCondition(expression)
  if (!result.ok) throw result.error
  return result.value
}
const mistakeIn = (expression: string): string => {
  const result = compileCondition(expression)
  return result.ok ? 'no mistake' : result.error.message
}

const SCOPE = {
  rating: 60,
  content: 'On AI Safety',
  tags: ['ai', 'law'],
  links: [{ url: 'a', n: 1 }],
  o: { a: null },
  list: [1],
}

describe('a condition', () => {
  it.each<[string, boolean]>([
    ['rating > 50', true],
    ['rating + 1 == 61 && 1 + rating == 61 && rating % 7 == 4', true],
    ['rating / 8 == 7.5', true],
    ['content.size() > 800', false],
    ['content.lowerAscii().contains("safety")', true],
    ['"ai" in tags && tags.exists(t, t.startsWith("l"))', true],
    ['links.all(l, l.n > 0 && l.url != "")', true],
    ['has(o.a) && o.a == null && !has(o.b)', true],
    ['has(fields.missing)', false],
    ['fields.list[0] == 1', true],
    ['rating in [1, 60]', true],
  ])('%s is %s', (expression, wanted) => {
    expect(compiled(expression).test(SCOPE)).toBe(wanted)
  })

  it('knows the fields that it reads', () => {
    const { fields } = compiled(
      'a.b > 1 && links.all(l, l.n > c) && has(fields.d) && int("1") == 1',
    )
    expect(fields.toSorted()).toEqual(['a', 'c', 'd', 'links'])
  })

  it.each<[string, RegExp]>([
    ['rating >', /unexpected token.* at character/],
    ['rating > 1 1', /unexpected character/],
    ['"a" + 1 == "b"', /overload/],
    ['content.lower() == "x"', /lower/],
    ['"text"', /must be true or false, found string/],
    ['content.matches("(a+)+$")', /matches is not available/],
    ['cel.bind(x, 1, x == 1)', /cel\.bind is not available/],
    ['links.all(a, links.all(b, a == b))', /all inside another loop/],
    [`${'('.repeat(200)}true${')'.repeat(200)}`, /maxDepth/],
    [Array(300).fill('a').join(' && '), /maxAstNodes/],
  ])('%s is refused', (expression, message) => {
    expect(mistakeIn(expression)).toMatch(message)
  })

  it('names the missing field, and reaches no property of JavaScript', () => {
    expect(() => compiled('rating > limit').test(SCOPE)).toThrow('unknown variable: limit')
    for (const name of ['constructor', '__proto__', 'toString', 'length']) {
      expect(() => compiled(`o.${name} == 1`).test(SCOPE)).toThrow('no such key')
      expect(() => compiled(`${name} == 1`).test(SCOPE)).toThrow(
        /unknown variable|reserved identifier/,
      )
    }
  })

  it('loops only over fields of a limited size', () => {
    const { test } = compiled('tags.all(t, content.contains(t))')
    expect(() => test({ tags: ['a'], content: 'x'.repeat(300_000) })).toThrow('the fields of when')
  })
})
