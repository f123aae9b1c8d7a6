import { matchesGlob } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPattern, toExpression } from './glob-pattern.ts'

const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^(?:${toExpression(pattern)})$`).test(`./${path}`)

describe('a glob as an expression', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'b/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'b/c/a.ts', true],
    ['b/**', 'b/c/a.ts', true],
    ['a?.md', 'ab.md', true],
    ['a?.md', 'a/.md', false],
    ['*.{ts,js}', 'a.js', true],
    ['*.{ts,js}', 'a.jsx', false],
    ['[ab].c', 'b.c', true],
    ['[!ab].c', 'b.c', false],
    ['[!ab].c', 'x.c', true],
    ['a.b', 'axb', false],
    ['./a+b(c)', 'a+b(c)', true],
    ['\\*', '*', true],
    ['{a', '{a', true],
    ['a}', 'a}', true],
    ['{a,{b,c}}', 'c', true],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected)
  })

  it('agrees with the runtime on plain patterns', () => {
    const piece = fc.constantFrom('a', 'b', '*', '?', '/', '**/', '.x', '{a,b}', '[ab]')
    const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'a.x', 'ba'), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('/'))
    fc.assert(
      fc.property(pattern, path, (glob, file) => {
        // These patterns mean different things to the two implementations.
        fc.pre(!/[^/]\*\*|\*\*[^/]|\*\*$|\/\/|^\/|\/$|\*\*\/\*\*|\*\*\*/.test(glob))
        expect([glob, file, matches(glob, file)]).toEqual([glob, file, matchesGlob(file, glob)])
      }),
    )
  })

  it('always compiles', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (pattern) => {
        expect(() => toExpression(pattern)).not.toThrow()
      }),
    )
  })

  it('refuses to leave its folder', () => {
    expect(checkPattern('/etc/*')).toContain('absolute')
    expect(checkPattern('a/../../b')).toContain('..')
    expect(checkPattern('a..b/*')).toBeUndefined()
  })
})
