import { agentRoute, EFFORTS, PHASES } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { route } from './route.ts'
import { DEFAULT_ROUTING } from './routing.ts'
import { readSentences } from './testing/read-sentences.ts'

const WORDS = [
  ...new Set(readSentences(EFFORTS, PHASES).flatMap(({ request }) => request.split(/\s+/))),
  '__proto__',
  'constructor',
  '"',
  "'",
  '`',
  '{agent}',
  '..',
  '\u0000',
]
const request = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' ')),
)
const context = fc.record(
  {
    effort: fc.constantFrom(...EFFORTS),
    phase: fc.constantFrom(...PHASES),
    unattended: fc.boolean(),
    roster: fc.array(
      fc.record({ name: fc.string({ maxLength: 12 }), role: fc.string({ maxLength: 12 }) }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
)
const NAMES = new Set(DEFAULT_ROUTING.types.map(({ name }) => name))
const DEPRECATED = new Set(
  DEFAULT_ROUTING.types.filter((type) => type.deprecated).map(({ name }) => name),
)

describe('any request', () => {
  it('always gets the same route', () => {
    fc.assert(
      fc.property(request, context, (text, known) => {
        const answer = route(text, known)
        expect(agentRoute.parse(answer)).toEqual(answer)
        expect(route(text, known)).toEqual(answer)
        for (const { type } of [answer, ...answer.alternatives]) {
          expect(type === null || (NAMES.has(type) && !DEPRECATED.has(type))).toBe(true)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('is audited by Cato at E4 and E5 in VERIFY', () => {
    fc.assert(
      fc.property(request, fc.constantFrom('E4', 'E5'), (text, effort) => {
        const { type, required } = route(text, { effort, phase: 'VERIFY' })
        expect([type, ...required.map((each) => each.type)]).toContain('Cato')
      }),
      { numRuns: 100 },
    )
  })

  it('that asks for custom agents never gets a built-in type', () => {
    const before = fc.constantFrom(
      'Please',
      'Now',
      'For the release,',
      'At E5 in VERIFY,',
      'Overnight',
    )
    const after = fc.constantFrom(
      'for research',
      'to implement it',
      'in parallel',
      'with Forge',
      '',
    )
    fc.assert(
      fc.property(before, after, context, (first, last, known) => {
        const answer = route(`${first} use custom agents ${last}`, known)
        expect([answer.system, answer.type, answer.workflow]).toEqual([
          'custom',
          'general-purpose',
          'CreateCustomAgent',
        ])
      }),
      { numRuns: 100 },
    )
  })

  it('is routed quickly, however long', () => {
    const long = `${'use custom and then '.repeat(50_000)} agents`
    expect(route(long).rule).not.toBe('')
  })
})
