import { LIMITS } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutSpeech, prepareSpeech } from './prepare-speech.ts'
import { createPronouncer } from './pronunciations-file.ts'
import { stripMarkdown } from './strip-markdown.ts'

describe('stripMarkdown', () => {
  test.each([
    ['**Done**: _all_ ~~three~~ `tests` pass', 'Done: all three tests pass'],
    ['# Result\n\n- one\n- [x] two\n1. three', 'Result. one. two. three'],
    ['see [the docs](https://example.com/a_b) and ![a chart](x.png)', 'see the docs and a chart'],
    ['before\n```ts\nconst a = 1\n```\nafter', 'before. after'],
    ['wrapped\nline', 'wrapped line'],
    ['a < b && c > d, Q&A, $5 and $(whoami)', 'a < b && c > d, Q&A, $5 and $(whoami)'],
    ['snake_case_name and 2 * 3 * 4', 'snake_case_name and 2 * 3 * 4'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a , b. 1 , 2'],
    ['one\n\n---\n\ntwo', 'one. two'],
    ['\\*not emphasis\\*', '*not emphasis*'],
    ['\u001b[31mred\u0007', '[31mred'],
    ['```only code```', 'only code'],
    ['```\nonly code\n```', ''],
    ['שלום **עולם** 🎉', 'שלום עולם 🎉'],
  ])('%j is said as %j', (markdown, said) => {
    expect(stripMarkdown(markdown)).toBe(said)
  })

  test('never fails, never leaves control characters or line breaks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (markdown) => {
        const said = stripMarkdown(markdown)
        expect(said).toBe(said.trim())
        expect(/\p{Cc}/u.test(said)).toBe(false)
        expect(said.isWellFormed()).toBe(true)
      }),
    )
  })

  test('keeps <, >, & and $ of any line of text', () => {
    const count = (text: string) => [...text].filter((each) => '<>&$'.includes(each)).length
    const words = fc.array(fc.constantFrom('a', '<', '>', '&', '$', '**', '_', '`', ' '), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(words, (parts) => {
        const text = `x${parts.join('')}`
        expect(count(stripMarkdown(text))).toBe(count(text))
      }),
    )
  })

  test('is fast for every text, however long', () => {
    const evil = ['*', '_', '`', '[', '![', '~~', '\\', '[a](', '| '].map((mark) =>
      mark.repeat(100_000),
    )
    for (const text of evil) expect(stripMarkdown(text).length).toBeLessThan(100_000)
  })
})

describe('cutSpeech', () => {
  test('cuts at a word', () => {
    expect(cutSpeech('one two three', 9)).toEqual({ text: 'one two', truncated: true })
    expect(cutSpeech('one two three', 7)).toEqual({ text: 'one two', truncated: true })
    expect(cutSpeech('one two', 7)).toEqual({ text: 'one two', truncated: false })
  })

  test('without spaces it cuts between characters as people see them', () => {
    expect(cutSpeech('👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 15).text).toBe('👨‍👩‍👧‍👦')
    expect(cutSpeech('日本語日本語', 4).text).toBe('日本語日')
  })

  test('the result is short enough, complete, and a prefix of the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 20 }),
        (text, max) => {
          const cut = cutSpeech(text, max)
          expect(cut.text.length).toBeLessThanOrEqual(max)
          expect(text.startsWith(cut.text)).toBe(true)
          expect(cut.truncated).toBe(text.length > max)
        },
      ),
    )
  })

  test('100 KB become a line', () => {
    const { text, truncated } = prepareSpeech('word '.repeat(20_480))
    expect(truncated).toBe(true)
    expect(text.length).toBeLessThanOrEqual(LIMITS.speechChars)
    expect(text.endsWith('word')).toBe(true)
  })
})

describe('createPronouncer', () => {
  test('whole words, case as written, each place once', () => {
    const pronounce = createPronouncer({
      nginx: 'engine x',
      SQL: 'sequel',
      'C++': 'see plus plus',
      x: 'ex',
    })
    expect(pronounce('nginx, Nginx, nginxes, SQL, MySQL, C++ and x')).toBe(
      'engine x, Nginx, nginxes, sequel, MySQL, see plus plus and ex',
    )
  })

  test('the longest term wins, and object property names are not terms', () => {
    const pronounce = createPronouncer({ git: 'ghit', 'git hub': 'github' })
    expect(pronounce('git hub git constructor')).toBe('github ghit constructor')
  })

  test('a spelling is used literally', () => {
    expect(createPronouncer({ a: '$& $1' })('a')).toBe('$& $1')
  })
})

test('a hostile table is said in a bounded time', () => {
  // Quadratic time would be minutes, so it is enough that this returns.
  expect(stripMarkdown(`--- | --- |${' '.repeat(32_000)}x`)).toContain('x')
  expect(stripMarkdown('a | b\n:-- | --: \n1 | 2')).toBe('a | b. 1 | 2')
})
