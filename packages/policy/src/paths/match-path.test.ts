import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MARK } from '../shell/marks.ts'
import { compilePath } from './compile-path.ts'
import { liesBelow, matchesPath } from './match-path.ts'
import { meets } from './meet-tokens.ts'
import { targetOf } from './path-target.ts'
import { resolvePath } from './resolve-path.ts'

const matches = (glob: string, path: string) => matchesPath(compilePath(glob, '/home/u'), path)

describe('path patterns', () => {
  it.each([
    ['~/.ssh', '/home/u/.ssh/id_rsa', true],
    ['~/.ssh', '/home/u/.sshx', false],
    ['~/.ssh/id_*', '/home/u/.ssh/id_rsa', true],
    ['~/.ssh/id_*', '/home/u/.ssh/a/id_rsa', false],
    ['/etc/**', '/etc', true],
    ['**/.env', '/a/b/.env', true],
    ['**/.env', '/a/b/.envrc', false],
    ['**/.env.*', '/a/.env.local', true],
    ['**/*.pem', '/a/b.pem', true],
    ['**/*.pem', '/a/.pem', true],
    ['.env', '/a/.env', true],
    ['/a?c', '/abc', true],
    ['/', '/anything', true],
    ['/Etc', '/etc/x', true],
    ['~/.ssh/id_rsa', `/home/u/.s${MARK.star}/id_rsa`, true],
    ['~/.ssh/id_rsa', `/home/u/${MARK.deep}`, true],
    ['~/.ssh', `/home/u/${MARK.star}`, false],
  ])('%s and %s', (glob, path, expected) => expect(matches(glob, path)).toBe(expected))

  it('gives the same result with and without the fast path', () => {
    const segment = fc.constantFrom('etc', '.env', '.env.x', 'a.pem', 'id_rsa', 'x', '.ssh')
    const path = fc
      .array(segment, { minLength: 1, maxLength: 4 })
      .map((parts) => `/${parts.join('/')}`)
    const piece = fc.constantFrom('etc', '.env', '.env.*', '*.pem', 'id_*', '*', 'x?', '.ssh')
    const glob = fc
      .tuple(fc.constantFrom('/', '**/'), fc.array(piece, { minLength: 1, maxLength: 3 }))
      .map(([start, parts]) => start + parts.join('/'))
    fc.assert(
      fc.property(glob, path, (pattern, given) => {
        const compiled = compilePath(pattern, '/home/u')
        const slowly = targetOf(given)
          .ways()
          .some(
            (way) =>
              meets(way, compiled.tokens) ||
              meets(way, [...compiled.tokens, { kind: 'char', char: '/' }, { kind: 'any' }]),
          )
        expect(matchesPath(compiled, given)).toBe(slowly)
      }),
      { numRuns: 3000 },
    )
  })

  it('matches paths below a protected directory', () => {
    expect(liesBelow(compilePath('~/.ssh/id_*', '/home/u'), '/home/u')).toBe(true)
    expect(liesBelow(compilePath('~/.ssh', '/home/u'), '/home/v')).toBe(false)
    expect(liesBelow(compilePath('**/.env', '/home/u'), '/home/u')).toBe(false)
  })

  it.each([
    ['../x', '/a/x'],
    ['/a/../../b', '/b'],
    ['~/x', '/home/u/x'],
    ['/proc/self/root/etc/shadow', '/etc/shadow'],
    ['/private/etc/hosts', '/etc/hosts'],
    ['file:///etc/shadow', '/etc/shadow'],
  ])('resolves %s', (path, expected) => expect(resolvePath(path, '/a/b', '/home/u')).toBe(expected))
})
