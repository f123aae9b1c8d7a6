import { describe, expect, it } from 'vitest'
import { recordPrompt } from './record-prompt.ts'
import { EMPTY, entryAt, iso, MINUTE, NOW, onlySlug } from './testing/states.ts'

const prompt = (text: string, sessionUUID = 'u1') => ({ sessionUUID, text, timeZone: 'UTC' })

describe('recordPrompt', () => {
  it('begins a session in its lane, with real seconds in the slug', () => {
    const { state, outcome } = recordPrompt(EMPTY, prompt('Build a small parser for dates'), NOW)
    const slug = '20260307-150405_build-a-small-parser-for-dates'
    expect(outcome).toEqual({ did: 'created', slug, mode: 'starting' })
    expect(entryAt(state, slug)).toEqual({
      task: 'Build a small parser for dates',
      sessionUUID: 'u1',
      mode: 'starting',
      phase: 'starting',
      progress: '0/0',
      effort: 'standard',
      started: iso(NOW),
      updatedAt: iso(NOW),
      currentMode: 'algorithm',
      modeHistory: [{ mode: 'algorithm', startedAt: NOW }],
      minimalCount: 0,
      ratings: [],
    })
  })

  it('never gives two sessions the same slug', () => {
    const first = recordPrompt(EMPTY, prompt('what is new?'), NOW).state
    const second = recordPrompt(first, prompt('what is new?', 'u2'), NOW).state
    const third = recordPrompt(second, prompt('what is new?', 'u3'), NOW).state
    const slug = '20260307-150405_what-is-new'
    expect(Object.keys(third.sessions)).toEqual([slug, `${slug}-2`, `${slug}-3`])
  })

  it('revives a light session, records the mode and takes it up a lane, never down', () => {
    const one = recordPrompt(EMPTY, prompt('what is this?'), NOW).state
    const slug = onlySlug(one)
    const two = recordPrompt(one, { ...prompt('build it'), sessionName: 'Build It' }, NOW + MINUTE)
    expect(two.outcome).toEqual({ did: 'updated', slug, mode: 'starting' })
    const three = recordPrompt(two.state, prompt('and why?'), NOW + 2 * MINUTE)
    expect(entryAt(three.state, slug)).toMatchObject({
      mode: 'starting',
      phase: 'starting',
      sessionName: 'Build It',
      updatedAt: iso(NOW + 2 * MINUTE),
      currentMode: 'native',
      modeHistory: [
        { mode: 'native', startedAt: NOW, endedAt: NOW + MINUTE },
        { mode: 'algorithm', startedAt: NOW + MINUTE, endedAt: NOW + 2 * MINUTE },
        { mode: 'native', startedAt: NOW + 2 * MINUTE },
      ],
    })
  })

  it('only updates an active full session, and starts a new one after a complete one', () => {
    const full = { sessionUUID: 'u1', isa: 'WORK/a/SPEC.md', phase: 'build', foreign: [1] }
    const state = { sessions: { a: full } }
    const { state: next } = recordPrompt(state, prompt('what is this?'), NOW)
    expect(next.sessions).toEqual({ a: { ...full, updatedAt: iso(NOW) } })
    const done = { sessions: { a: { ...full, phase: 'complete' } } }
    expect(recordPrompt(done, prompt('what is this?'), NOW).outcome).toMatchObject({
      did: 'created',
    })
  })

  it('counts trivia in an existing session, and starts none for it', () => {
    expect(recordPrompt(EMPTY, prompt('thanks'), NOW)).toEqual({
      state: EMPTY,
      outcome: { did: 'ignored' },
    })
    const one = recordPrompt(EMPTY, prompt('what is this?'), NOW).state
    const { state, outcome } = recordPrompt(one, prompt('thanks'), NOW + MINUTE)
    expect(outcome).toMatchObject({ did: 'counted' })
    expect(entryAt(state, onlySlug(state))).toMatchObject({
      minimalCount: 1,
      currentMode: 'minimal',
      updatedAt: iso(NOW + MINUTE),
    })
    const reminder = prompt('<system-reminder>x</system-reminder>')
    expect(recordPrompt(state, reminder, NOW + 2 * MINUTE).state).toBe(state)
  })

  it('keeps unknown data everywhere', () => {
    const one = recordPrompt(EMPTY, prompt('what is this?'), NOW).state
    const slug = onlySlug(one)
    const strange = {
      version: 7,
      sessions: {
        ...one.sessions,
        [slug]: { ...entryAt(one, slug), modeHistory: 'none', theirs: { a: 1 } },
        odd: null,
        odder: 'text',
        __proto__x: [1],
      },
    }
    const { state } = recordPrompt(strange, prompt('build it'), NOW + MINUTE)
    expect(state).toMatchObject({ version: 7, sessions: { odd: null, odder: 'text' } })
    expect(entryAt(state, slug)).toMatchObject({ modeHistory: 'none', theirs: { a: 1 } })
  })
})
