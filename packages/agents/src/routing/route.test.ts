import { EFFORTS, PHASES } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { route } from './route.ts'
import { readSentences } from './testing/read-sentences.ts'

const ROSTER = [
  { name: 'Ava', role: 'primary researcher' },
  { name: 'Remy', role: 'secondary researcher' },
  { name: 'Serena Blackwood', role: 'architecture lead' },
  { name: 'Marcus', role: 'senior engineer' },
  { name: 'Rook', role: 'security specialist' },
]

describe('example requests', () => {
  const sentences = readSentences(EFFORTS, PHASES)
  const headings = [...new Set(sentences.map(({ expected }) => expected))]

  it('are numerous enough', () => {
    expect(sentences.length).toBeGreaterThan(500)
  })

  it.each(headings)('get the expected route: %s', (heading) => {
    const wrong = sentences
      .filter(({ expected }) => expected === heading)
      .map((sentence) => ({
        ...sentence,
        answer: route(sentence.request, { ...sentence.context, roster: ROSTER }),
      }))
      .filter(({ matches, answer }) => !matches(answer))
      .map(({ request, answer }) => `${request} -> ${answer.rule} (${answer.matched.join(', ')})`)
    expect(wrong).toEqual([])
  })
})

describe('a hostile request', () => {
  it.each([
    ['quotes that open and never close', "='J"],
    ['a word of vowels', 'aei'],
    ['curly quotes that never close', '\u201c'],
  ])('is routed in a bounded time: %s', (_, part) => {
    // Quadratic time would be minutes, so it is enough that this returns.
    expect(route(part.repeat(20_000), { roster: ROSTER })).toBeDefined()
  })
})
