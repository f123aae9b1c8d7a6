import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseSpecification } from './parse-specification.ts'

const TEXT = `---
task: "Parse dates: all of them"
slug: 20260307-150405_parse-dates
effort: Extended
phase: build
progress: 1/3
mode: interactive
started: 2026-03-07T15:04:05+01:00
iteration: 2
---

# Dates

## Context

People write dates
in many ways.

## ISC Criteria

- [ ] ISC-1: ISO dates are read
- [X] ISC-2: [F] Offsets are kept
### More
- [ ] ISC-A-1: No date is guessed
* [x] **ISC-3**: Anti: Nothing throws
\`\`\`
- [ ] ISC-9: only an example
\`\`\`
- [ ] no id here

---

- [ ] ISC-7: after the rule

## Notes
- [ ] ISC-8: elsewhere
`

describe('parseSpecification', () => {
  it('reads frontmatter, criteria and intent, and reports problems', () => {
    expect(parseSpecification(TEXT)).toEqual({
      task: 'Parse dates: all of them',
      slug: '20260307-150405_parse-dates',
      effort: 'extended',
      phase: 'BUILD',
      progress: '1/3',
      started: '2026-03-07T15:04:05+01:00',
      updated: undefined,
      iteration: 2,
      criteria: [
        { id: 'ISC-1', description: 'ISO dates are read', type: 'criterion', status: 'pending' },
        {
          id: 'ISC-2',
          description: 'Offsets are kept',
          type: 'criterion',
          status: 'completed',
          tag: 'F',
        },
        {
          id: 'ISC-A-1',
          description: 'No date is guessed',
          type: 'anti-criterion',
          status: 'pending',
        },
        { id: 'ISC-3', description: 'Nothing throws', type: 'anti-criterion', status: 'completed' },
      ],
      intent: 'People write dates in many ways.',
      criteriaParseWarning: undefined,
      problems: [expect.stringContaining('- [ ] no id here')],
    })
  })

  it('reads files of editors on other systems', () => {
    const windows = `\uFEFF${TEXT.replaceAll('\n', '\r\n')}`
    expect(parseSpecification(windows)).toEqual(parseSpecification(TEXT))
  })

  test.each(['## Criteria', '## IDEAL STATE CRITERIA (all)', '### Criteria', '## isc criteria ##'])(
    'finds criteria below %j',
    (heading) => {
      const { criteria, progress, problems } = parseSpecification(`${heading}\n- [x] ISC-1: a\n`)
      expect(criteria).toHaveLength(1)
      expect(progress).toBe('1/1')
      expect(problems).toHaveLength(2)
    },
  )

  test.each([
    ['# Title', 'missing-section'],
    ['## Criteria\n\ntext', 'empty-section'],
    ['## Criteria\n- [ ] something', 'all-dropped'],
  ])('warns of %j: %s', (text, warning) => {
    expect(parseSpecification(text).criteriaParseWarning).toBe(warning)
  })

  it('keeps the first of two criteria with the same id, and reports it', () => {
    const { criteria, problems } = parseSpecification(
      '## Criteria\n- [ ] ISC-1: one\n- [ ] ISC-1: two',
    )
    expect(criteria).toMatchObject([{ description: 'one' }])
    expect(problems.join()).toContain('ISC-1: two')
  })

  it('cuts the intent at 280 characters', () => {
    const { intent } = parseSpecification(`## Intent\n${'word '.repeat(200)}`)
    expect([...(intent ?? '')]).toHaveLength(280)
  })

  it('reads back any criteria, and no text makes it fail', () => {
    const word = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), word), { minLength: 1 }), (items) => {
        const lines = items.map(([done, text], at) => `- [${done ? 'x' : ' '}] ISC-${at}: ${text}`)
        const { criteria } = parseSpecification(`## Criteria\n${lines.join('\n')}\n`)
        expect(
          criteria.map(({ status, description }) => [status === 'completed', description]),
        ).toEqual(items)
      }),
    )
    const piece = fc.constantFrom(
      '---\n',
      '## Criteria\n',
      '- [ ] ',
      'ISC-1',
      ': ',
      '\n',
      '```',
      '[F]',
    )
    const texts = fc.array(fc.oneof(piece, fc.string())).map((parts) => parts.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseSpecification(text).progress).toMatch(/^\d+\/\d+$/)
      }),
    )
  })
})
