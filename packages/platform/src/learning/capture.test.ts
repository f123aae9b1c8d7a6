import { learningSignal, ratingRow } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { captureRating } from './capture-rating.ts'
import { captureSignals } from './capture-signals.ts'
import { patternOfError } from './failure-counts.ts'

const context = { session_id: 's', timestamp: '2026-03-01T10:00:00Z' }
const rate = (prompt: string) => {
  const row = captureRating(prompt, context)
  return row === undefined ? undefined : [row.rating, row.comment]
}

describe('captureRating', () => {
  it.each([
    ['8', 8, undefined],
    [' 10/10! ', 10, undefined],
    ['8 - well done', 8, 'well done'],
    ['3/10: too slow, again', 3, 'too slow, again'],
    ['7 – ok', 7, 'ok'],
    ['<system-reminder>x</system-reminder>9', 9, undefined],
  ])('reads %j as a rating', (prompt, rating, comment) => {
    expect(rate(prompt)).toEqual([rating, comment])
  })

  it.each([
    '0',
    '11',
    '8 files need work',
    '5-minute break',
    '8 - 3',
    '8:30 is when it starts',
    '1 - do this\n2 - do that',
    '1. do this',
    'rate it 8',
    '-3',
    '8.5',
    '<system-reminder>8</system-reminder>',
  ])('does not read %j as a rating', (prompt) => {
    expect(rate(prompt)).toBeUndefined()
  })

  it('returns valid rows for any prompt', () => {
    const prompt = fc.oneof(
      fc.string(),
      fc.tuple(fc.integer({ min: -1, max: 12 }), fc.string()).map(([n, text]) => `${n} - ${text}`),
    )
    fc.assert(
      fc.property(prompt, (text) => {
        const row = captureRating(text, context)
        if (row !== undefined) ratingRow.parse(row)
        for (const signal of captureSignals(text, context)) learningSignal.parse(signal)
      }),
    )
  })
})

const kindsOf = (prompt: string) => captureSignals(prompt, context).map(({ kind }) => kind)

describe('captureSignals', () => {
  it.each([
    ['great job!', ['praise']],
    ['thank you', ['praise']],
    ["no, that's not what I asked for", ['correction']],
    ['It still fails.', ['correction']],
    ['That’s wrong', ['correction']],
    ['you broke the build', ['correction']],
    ['2 - it made a mess', ['low-rating']],
    ['9', []],
    ['add a page about great jobs', []],
    ['no changes to the tests please', []],
    ['is it wrong to use tabs?', []],
    [`it doesn't work ${'and so on '.repeat(40)}`, []],
    ['<task-notification>that is wrong</task-notification>', []],
  ])('finds in %j %j', (prompt, kinds) => {
    expect(kindsOf(prompt)).toEqual(kinds)
  })

  it('keeps a short text of it', () => {
    expect(captureSignals('no,\n  not   that one', context)).toEqual([
      { ...context, kind: 'correction', summary: 'no, not that one' },
    ])
  })
})

describe('patternOfError', () => {
  it.each([
    [
      "ENOENT: no such file or directory, open '/home/me/a b.txt'",
      'ENOENT: no such file or directory, open <text>',
    ],
    ['/usr/bin/foo:12:3 exited with code 127', '<path> exited with code <n>'],
    [
      "can't connect to http://localhost:3000/x?y=1 after 2.5s",
      "can't connect to <url> after <n>s",
    ],
    ['run 0b9f3c2e-1111-4222-8333-444455556666 not found', 'run <id> not found'],
    ['commit deadbeef12 at 2026-03-01T10:00:00Z', 'commit <id> at <time>'],
    ['\u001b[31mError\u001b[0m  in\n main.ts:10:2', 'Error in <path>'],
    ['  ', '(no message)'],
  ])('takes what changes out of %j', (error, pattern) => {
    expect(patternOfError(error)).toBe(pattern)
  })

  it('is the same for the same failure with other numbers, paths and names', () => {
    const name = fc.stringMatching(/^[a-z]{1,12}$/)
    fc.assert(
      fc.property(fc.nat(), fc.nat(), name, name, (a, b, x, y) => {
        const error = (n: number, word: string) =>
          `read of "${word}" failed at /tmp/${word}/${n}.txt line ${n}`
        expect(patternOfError(error(a, x))).toBe(patternOfError(error(b, y)))
      }),
    )
  })

  it('is short, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (error) => {
        expect(patternOfError(error).length).toBeLessThanOrEqual(200)
      }),
    )
    for (const char of ['a', '/', '"', "'", '1', 'f', '.', 'a_', '0x', ':/']) {
      expect(patternOfError(char.repeat(200_000)).length).toBeLessThanOrEqual(200)
    }
  })
})
