import type { WorkState } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { bumpToolActivity } from './bump-tool-activity.ts'
import { recordPrompt } from './record-prompt.ts'
import { EMPTY, entryAt, iso, MINUTE, NOW, onlySlug } from './testing/states.ts'
import { writeVoicePhase } from './write-voice-phase.ts'

const LATER = NOW + 3 * MINUTE

/** Hooks of LifeOS v7 promoted a session after its phase was announced without a slug. */
const promotedByOthers = () => {
  const prompt = { sessionUUID: 'u1', text: 'Build a date parser', sessionName: 'Build Dates' }
  const started = recordPrompt(EMPTY, prompt, NOW).state
  const announced = writeVoicePhase(started, { phase: 'OBSERVE' }, NOW + MINUTE).state
  const light = onlySlug(announced)
  const full = {
    task: 'Parse dates',
    sessionUUID: 'u1',
    mode: 'starting',
    phase: 'think',
    updatedAt: iso(NOW + 2 * MINUTE),
    isa: 'WORK/parse-dates/ISA.md',
    phaseHistory: [{ phase: 'THINK', startedAt: NOW + 2 * MINUTE, source: 'isa' }],
  }
  return { light, state: { sessions: { ...announced.sessions, 'parse-dates': full } } }
}

describe('a light session that another program left beside the full one', () => {
  it.each([
    ['a tool is used', (state: WorkState) => bumpToolActivity(state, 'u1', LATER).state],
    [
      'a phase is announced for the session',
      (state: WorkState) =>
        writeVoicePhase(state, { phase: 'BUILD', sessionUUID: 'u1' }, LATER).state,
    ],
  ])('is merged into it when %s', (_, change) => {
    const { light, state } = promotedByOthers()
    const next = change(state)
    expect(Object.keys(next.sessions)).toEqual(['parse-dates'])
    expect(entryAt(next, 'parse-dates')).toMatchObject({
      sessionName: 'Build Dates',
      isa: 'WORK/parse-dates/ISA.md',
      previousSlugs: [light],
      phaseHistory: expect.arrayContaining([
        expect.objectContaining({ phase: 'OBSERVE' }),
        expect.objectContaining({ phase: 'THINK' }),
      ]),
    })
  })

  it('takes later announcements for its old slug with it', () => {
    const { light, state } = promotedByOthers()
    const { state: next, outcome } = writeVoicePhase(state, { phase: 'PLAN', slug: light }, LATER)
    expect(outcome).toEqual({ written: true, slug: 'parse-dates' })
    expect(Object.keys(next.sessions)).toEqual(['parse-dates'])
    expect(entryAt(next, 'parse-dates')).toMatchObject({ phase: 'plan' })
  })

  it('stays if it belongs to another host session', () => {
    const { state } = promotedByOthers()
    const other = recordPrompt(state, { sessionUUID: 'u2', text: 'Fix a typo' }, NOW).state
    const next = bumpToolActivity(other, 'u2', NOW + MINUTE).state
    expect(Object.keys(next.sessions)).toHaveLength(3)
  })
})
