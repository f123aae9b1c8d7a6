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

describe('what people say', () => {
  const sentences = readSentences(EFFORTS, PHASES)

  it('is a table worth having', () => {
    expect(sentences.length).toBeGreaterThan(250)
  })

  it.each(sentences)('$request -> $expected', ({ request, context, matches }) => {
    const answer = route(request, { ...context, roster: ROSTER })
    expect(
      matches(answer),
      `${answer.rule}: ${answer.system} ${answer.type} (${answer.matched})`,
    ).toBe(true)
  })
})
