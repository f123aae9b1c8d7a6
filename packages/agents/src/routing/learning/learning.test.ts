import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { explainRoute } from '../explain-route.ts'
import { route } from '../route.ts'
import { openRouting } from '../routing.ts'
import { readSentences } from '../testing/read-sentences.ts'
import { trainWeights } from './train.ts'
import { WEIGHTS } from './weights.ts'

const textOf = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')

/** Every sentence that the classifier learns from. */
const TRAINED: ReadonlySet<string> = new Set(
  ['../testing/sentences.txt', 'sentences.txt'].flatMap((path) => textOf(path).split('\n')),
)

describe('requests that a rule matches by a word with another meaning', () => {
  it.each([
    ['rewrite my speech so that it sounds friendlier', { type: 'general-purpose', skill: null }],
    ['make a shopping list for five days of camping', { type: 'general-purpose', skill: null }],
    ['the google button on the login page does nothing, fix it', { type: 'Engineer' }],
  ])('%s', (request, expected) => {
    const answer = route(request)
    expect(answer).toMatchObject({ rule: 'learned', system: 'built-in', ...expected })
    expect(answer.why).toContain('matches weakly')
    expect(answer.alternatives.length).toBeGreaterThan(0)
  })
})

describe('requests that no rule knew', () => {
  it.each([
    ["the login form doesn't validate emails, please sort it out", { type: 'Engineer' }],
    ['I need this done properly, cut no corners: implement token rotation', { type: 'Forge' }],
    ['where in this repo is the rate limiter configured', { type: 'Explore' }],
    ['kick it off in CI every time someone pushes to main', { system: 'managed' }],
    [
      'compare what the three agents came back with and flag contradictions',
      { workflow: 'Spotcheck' },
    ],
    ['our travel agent needs a new booking page, build it', { type: 'Engineer' }],
    ['the export button does nothing when I click it, please fix that', { type: 'Engineer' }],
    ['redo the whole frontend in Svelte', { type: 'Anvil' }],
    ['hack together a rough prototype of the label printer', { type: 'Engineer' }],
  ])('%s', (request, expected) => {
    expect(route(request)).toMatchObject(expected)
  })

  it('are explained by their own words', () => {
    const answer = route('the export button does nothing when I click it, please fix that')
    expect(answer.rule).toBe('learned')
    expect(answer.matched.length).toBeGreaterThan(0)
    for (const word of answer.matched) {
      expect('the export button does nothing when i click it please fix that').toContain(
        word.toLowerCase(),
      )
      expect(explainRoute(answer)).toContain(`"${word}"`)
    }
  })

  it.each([
    ['research which button libraries are accessible and fix ours', 'Research'],
    ['investigate why nobody reviews the plan of the interface', 'Research'],
  ])('are never taken from a rule of the specification: %s', (request, skill) => {
    expect(route(request)).toMatchObject({ rule: 'research', skill })
  })

  it('get code of high quality at a high effort', () => {
    expect(route('the badge count never updates', { effort: 'E4' }).type).toBe('Forge')
  })

  it('get standard code at a low effort, however carefully it is asked for', () => {
    const request = 'lives depend on the dosing module, test every branch of it'
    expect(route(request)).toMatchObject({ rule: 'learned', type: 'Forge' })
    expect(route(request, { effort: 'E2' })).toMatchObject({ rule: 'learned', type: 'Engineer' })
  })

  it('go to a default rule of the user, if there is one', () => {
    const opened = openRouting(
      'rules: [{ id: default, level: 99, answer: { system: built-in, type: Plan }, why: mine }]',
    )
    if (!opened.ok) throw opened.error
    const answer = route('the badge count never updates', { routing: opened.value })
    expect(answer).toMatchObject({ rule: 'default', type: 'Plan' })
  })

  // Minimum rates, at those of the committed weights: 95 % of the held-back third of our table, and 93
  // to 98 % of the sentences of five authors who did not know the table. The author of the table did
  // not know the third and the fourth file either; the fourth is without two of its sentences that our
  // table has as well.
  it.each([
    { file: 'held-back.txt', sentences: 151, understood: 144 },
    { file: 'held-back-by-another.txt', sentences: 164, understood: 156 },
    { file: 'held-back-by-a-third.txt', sentences: 180, understood: 173 },
    { file: 'held-back-by-a-fourth.txt', sentences: 248, understood: 231 },
    { file: 'held-back-by-a-fifth.txt', sentences: 216, understood: 209 },
    { file: 'held-back-by-a-sixth.txt', sentences: 200, understood: 196 },
  ])('are mostly understood where they took no part in training: $file', (exam) => {
    const held = readSentences([], [], textOf(`testing/${exam.file}`))
    const right = held.filter(({ request, matches }) => matches(route(request)))
    expect(held.filter(({ request }) => TRAINED.has(request))).toEqual([])
    expect(held).toHaveLength(exam.sentences)
    expect(right.length).toBeGreaterThanOrEqual(exam.understood)
  })
})

it('training twice gives the same weights as those that are committed', () => {
  const train = () => trainWeights(textOf('../testing/sentences.txt'), textOf('sentences.txt'))
  expect(train()).toBe(WEIGHTS)
  expect(train()).toBe(WEIGHTS)
}, 120_000)
