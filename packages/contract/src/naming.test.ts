import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  nameOf,
  nameOfWorker,
  PRIMITIVES,
  parseName,
  primitiveOf,
  shortName,
  workerName,
} from './naming.ts'

const messageOf = (name: string, expected?: 'action' | 'pipeline' | 'flow') => {
  const parsed = parseName(name, expected)
  return parsed.ok ? 'accepted' : parsed.error.message
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const rest = fc.string({
  unit: fc.constantFrom(...letters, ...'0123456789'),
  minLength: 1,
  maxLength: 8,
})
const firstWord = fc.tuple(fc.constantFrom(...letters), rest).map(([letter, more]) => letter + more)
/** Any valid name. */
const name = fc
  .tuple(fc.constantFrom('A', 'P', 'F'), firstWord, fc.array(rest, { minLength: 1, maxLength: 3 }))
  .map(([letter, first, more]) => [letter, first, ...more].join('_'))
  .filter((text) => parseName(text).ok)

describe('names and workers', () => {
  test('the spec’s examples', () => {
    expect(workerName('A_LABEL_AND_RATE')).toBe('exec-a-label-and-rate')
    expect(workerName('P_LABEL_AND_RATE')).toBe('exec-p-label-and-rate')
    expect(workerName('F_FEEDS_POLLER')).toBe('exec-f-feeds-poller')
    expect(shortName('A_LABEL_AND_RATE')).toBe('a-label-and-rate')
  })

  test('every name round-trips through its worker name, in both forms', () => {
    fc.assert(
      fc.property(name, (text) => {
        expect(nameOfWorker(workerName(text))).toEqual({ ok: true, value: text })
        expect(nameOfWorker(shortName(text))).toEqual({ ok: true, value: text })
        expect(primitiveOf(text)).toBe(PRIMITIVES[['A', 'P', 'F'].indexOf(text.charAt(0))])
      }),
    )
  })

  test('an invalid worker name is refused with an example', () => {
    for (const wrong of ['label-and-rate', 'exec-x-one', 'EXEC-A-ONE-TWO', 'a-', 'exec-a--x', '']) {
      const result = nameOfWorker(wrong)
      expect(result.ok ? 'accepted' : result.error.message).toContain('exec-a-label-and-rate')
    }
  })

  test('no text makes it throw, and accepted names are unchanged', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `A_${text}`),
        ),
        (text) => {
          const parsed = parseName(text)
          if (parsed.ok) expect(nameOfWorker(workerName(text))).toEqual({ ok: true, value: text })
          const worker = nameOfWorker(text)
          if (worker.ok) expect([workerName(worker.value), shortName(worker.value)]).toContain(text)
        },
      ),
    )
  })
})

describe('a refused name', () => {
  test('with a missing or wrong prefix', () => {
    expect(messageOf('COUNT_WORDS')).toBe(
      'COUNT_WORDS is not a valid name: a name starts with A_ (action), P_ (pipeline) or F_ (flow), for example A_COUNT_WORDS',
    )
    expect(messageOf('A_LABEL_AND_RATE', 'pipeline')).toContain(
      'a pipeline name starts with P_, for example P_LABEL_AND_RATE',
    )
    expect(messageOf('P_COUNT_WORDS', 'action')).toContain(
      'an action name starts with A_, for example A_COUNT_WORDS',
    )
  })

  test('in lower case, camel case or with dashes', () => {
    expect(messageOf('a_count_words')).toContain(
      'UPPER_SNAKE_CASE after the prefix, for example A_COUNT_WORDS',
    )
    expect(messageOf('A_countWords')).toContain('for example A_COUNT_WORDS')
    expect(messageOf('A_COUNT-WORDS')).toContain('for example A_COUNT_WORDS')
    expect(messageOf('A__COUNT_WORDS')).toContain('for example A_COUNT_WORDS')
  })

  test('with too few or too many words', () => {
    expect(messageOf('A_COUNT')).toContain('2 to 4 words after A_, and this has 1')
    expect(messageOf('A_COUNT_ALL_THE_WORDS_TWICE')).toContain('and this has 5')
    expect(messageOf('P_COUNT_ALL_THE_WORDS_TWICE')).toBe('accepted')
  })

  test('with a noun first', () => {
    expect(messageOf('A_ARTICLE_SUMMARIZE')).toContain(
      'an action starts with a verb, but ARTICLE is not a verb; for example A_EXTRACT_ARTICLE',
    )
    expect(messageOf('F_RSS_LABEL_EMAIL')).toBe('accepted')
  })

  test('always comes with a name that would be accepted', () => {
    const slip = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom('a_', 'A_', 'P_', 'f_', ''), fc.string())
        .map((parts) => parts.join('')),
      name.map((text) => text.toLowerCase()),
    )
    fc.assert(
      fc.property(
        slip,
        fc.option(fc.constantFrom(...PRIMITIVES), { nil: undefined }),
        (text, expected) => {
          const parsed = parseName(text, expected)
          if (parsed.ok) return
          const example = /for example (\S+)$/.exec(parsed.error.message)?.[1] ?? 'none'
          expect(messageOf(example, expected)).toBe('accepted')
        },
      ),
      { numRuns: 1000 },
    )
  })
})

test('as a schema, a name keeps its message', () => {
  const parsed = nameOf('flow').safeParse('F_lower')
  expect(parsed.error?.issues[0]?.message).toContain('for example F_LOWER')
})
