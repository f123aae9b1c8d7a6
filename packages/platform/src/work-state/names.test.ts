import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { proposeSessionName } from './propose-session-name.ts'
import { freeSlug, slugFor } from './slugs.ts'
import { NOW } from './testing/states.ts'

describe('slugFor', () => {
  it('is local time and the first words', () => {
    const task = 'Fix the Parser (it breaks): on very long lines and others'
    expect(slugFor(task, NOW, 'Asia/Tokyo')).toBe(
      '20260308-000405_fix-the-parser-it-breaks-on-very-long',
    )
    expect(slugFor('???', NOW, 'UTC')).toBe('20260307-150405_untitled')
    expect(slugFor('Größe ändern', NOW, 'UTC')).toBe('20260307-150405_größe-ändern')
  })

  it('gives two slugs to the hour that repeats', () => {
    // Clocks in Berlin go back from three to two on 25 October 2026.
    const first = slugFor('same', Date.UTC(2026, 9, 25, 0, 30), 'Europe/Berlin')
    const second = slugFor('same', Date.UTC(2026, 9, 25, 1, 30), 'Europe/Berlin')
    expect(second).toBe(first)
    expect(freeSlug({ sessions: { [first]: {} } }, second)).toBe(`${first}-2`)
  })

  it('is within the length limit and never taken', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (task) => {
        const slug = slugFor(task, NOW, 'UTC')
        expect(slug).toMatch(/^\d{8}-\d{6}_[^\s/\\.]+$/u)
        expect([...slug].length).toBeLessThanOrEqual(56)
      }),
    )
    const sessions = { a: {}, b: { previousSlugs: ['a-2'] } }
    expect(freeSlug({ sessions }, 'a')).toBe('a-3')
  })
})

describe('proposeSessionName', () => {
  test.each([
    ['please fix the date parser, it breaks on long lines', 'Fix Date Parser Breaks Long'],
    ['How does the lock work when a process is killed?', 'Explain Lock Work Process Killed'],
    ['the login page looks odd on phones', 'Discuss Login Page Looks Odd'],
    ['build it', 'Build It'],
    ['<system-reminder>deploy</system-reminder>', undefined],
  ])('%j', (prompt, name) => {
    expect(proposeSessionName(prompt)).toBe(name)
  })
})
