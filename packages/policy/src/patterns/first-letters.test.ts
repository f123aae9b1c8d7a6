import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_RULES } from '../policy/default-policy.ts'
import { compilePattern } from './compile-pattern.ts'
import { firstLetters, mayBegin } from './first-letters.ts'
import { createMatcher } from './linear-matcher.ts'
import { parseRegex } from './parse-regex.ts'

const { trusted, blocked, confirm, alert } = DEFAULT_RULES.bash
const BUILT_IN = [...trusted, ...blocked, ...confirm, ...alert].map(({ pattern }) => pattern)

describe('firstLetters', () => {
  it.each([
    ['^(mkfs|wipefs)\\b', ['mkfs', 'wipefs']],
    ['^gpg2?\\b.*x', ['gpg']],
    ['^zpool destroy|^zfs destroy', ['zpool destroy', 'zfs destroy']],
    ['^(?:git (push|pull))', ['git ']],
    ['^(a|b)?c', undefined],
    ['^a?b', undefined],
    ['git|^svn', undefined],
    ['^(?!x)y', undefined],
    ['^[ab]c', undefined],
    ['^x(', undefined],
    ['', undefined],
  ])('%s', (source, letters) => expect(firstLetters(source)).toEqual(letters))

  it('finds them for most built-in patterns', () => {
    const known = BUILT_IN.filter((pattern) => firstLetters(pattern) !== undefined)
    expect(known.length).toBeGreaterThan(BUILT_IN.length * 0.7)
  })

  it('never excludes a text that the pattern matches', () => {
    const word = fc.constantFrom(
      'git',
      'GIT push',
      'mk',
      'fs',
      ' ',
      '-f',
      '\u212Aill',
      '|',
      '(',
      'x',
    )
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(''))
    const piece = fc.constantFrom(
      '^',
      'git',
      'push',
      'mk',
      '(',
      ')',
      '|',
      '?',
      '*',
      '{0,1}',
      '\\b',
      ' ',
      '[gm]',
      '(?:',
      'x',
      '\\s',
      '\\|',
    )
    const source = fc.oneof(
      fc.constantFrom(...BUILT_IN),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `^${pieces.join('')}`),
    )
    fc.assert(
      fc.property(source, text, (pattern, given) => {
        const letters = firstLetters(pattern)
        if (letters === undefined || mayBegin(given, letters)) return
        let matches: (text: string) => boolean
        try {
          matches = createMatcher(parseRegex(pattern))
        } catch {
          expect(compilePattern(pattern).matches(given)).toBe(
            given.toLowerCase().includes(pattern.toLowerCase()),
          )
          return
        }
        expect(matches(given)).toBe(false)
      }),
      { numRuns: 3000 },
    )
  })
})
