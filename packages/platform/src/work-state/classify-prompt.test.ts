import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { classifyPrompt, STARTING_VERBS } from './classify-prompt.ts'

describe('classifyPrompt', () => {
  it('matches exactly the eight verbs of the specification', () => {
    expect(STARTING_VERBS).toEqual([
      'implement',
      'build',
      'create',
      'architect',
      'design',
      'migrate',
      'deploy',
      'refactor',
    ])
  })

  test.each([
    ['build a parser'],
    ['Could you IMPLEMENT it?'],
    ['we should (deploy)'],
    ['now: refactor, then rest'],
    ['please\nMigrate the table'],
  ])('%j is starting', (prompt) => {
    expect(classifyPrompt(prompt)).toEqual({ mode: 'starting' })
  })

  test.each([
    ['rebuild it'],
    ['what is a builder?'],
    ['it was designed badly'],
    ['my_build_folder is full'],
    ['buildé ou non'],
    ['de\u017Fign'],
    ['fix the bug'],
    ['write me a program'],
    ['add a feature to develop'],
    ['yes'],
    ['good morning to you'],
    ['thanks, now fix it'],
    ['11'],
    ['8 reasons why'],
  ])('%j is native', (prompt) => {
    const kind = classifyPrompt(prompt)
    expect(kind).toEqual(prompt === '11' ? { trivia: 'too-short' } : { mode: 'native' })
  })

  test.each([
    ['', 'too-short'],
    ['  ok ', 'too-short'],
    ['👍', 'too-short'],
    ['Thanks!', 'praise'],
    ['very nice', 'praise'],
    ['Great job!!!', 'praise'],
    ['thank you.', 'praise'],
    ['8', 'rating'],
    [' 10/10 ', 'rating'],
    ['7!', 'rating'],
    ['<system-reminder>build something</system-reminder>', 'system'],
    ['<task-notification id="1">deploy is done', 'system'],
    [
      'This session is being continued from a previous conversation that ran out. Build on.',
      'system',
    ],
  ])('%j is trivia: %s', (prompt, trivia) => {
    expect(classifyPrompt(prompt)).toEqual({ trivia })
  })

  it("reads the person's text beside text of the host", () => {
    const reminder = '<system-reminder>build and deploy</system-reminder>'
    expect(classifyPrompt(`${reminder} what is this?`)).toEqual({ mode: 'native' })
    expect(classifyPrompt(`create a page ${reminder}`)).toEqual({ mode: 'starting' })
  })

  it('finds a verb as a whole word anywhere and in any case, and nowhere else', () => {
    const filler = fc.stringMatching(/^[a-z ,.]{0,20}$/)
    const cased = fc
      .tuple(fc.constantFrom(...STARTING_VERBS), fc.infiniteStream(fc.boolean()))
      .map(([verb, upper]) =>
        [...verb].map((letter) => (upper.next().value ? letter.toUpperCase() : letter)).join(''),
      )
    fc.assert(
      fc.property(filler, cased, filler, fc.constantFrom('', ...'abs_7é'), (a, verb, b, glued) => {
        const prompt = `the text ${a} ${verb}${glued} ${b}`
        const oracle = new RegExp(`\\b(${STARTING_VERBS.join('|')})\\b`, 'i')
        // In this alphabet only é is not a word character for the plain pattern.
        const expected = oracle.test(prompt.replaceAll('é', 'e'))
        expect(classifyPrompt(prompt)).toEqual({ mode: expected ? 'starting' : 'native' })
      }),
    )
  })

  it('answers for any text, and quickly for a hostile one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (prompt) => {
        expect(Object.keys(classifyPrompt(prompt))).toHaveLength(1)
      }),
    )
    expect(classifyPrompt('<system-reminder>'.repeat(50_000))).toEqual({ trivia: 'system' })
    expect(classifyPrompt(`a${' '.repeat(500_000)}b`)).toEqual({ mode: 'native' })
  })
})
