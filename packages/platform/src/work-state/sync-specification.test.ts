import { describe, expect, it } from 'vitest'
import { recordPrompt } from './record-prompt.ts'
import { recordRating } from './record-rating.ts'
import { parseSpecification } from './specification/parse-specification.ts'
import { syncSpecification } from './sync-specification.ts'
import { EMPTY, entryAt, HOUR, iso, MINUTE, NOW, onlySlug } from './testing/states.ts'
import { writeVoicePhase } from './write-voice-phase.ts'

const fileOf = (phase: string, done = ' ') =>
  parseSpecification(`---
task: Parse dates
slug: parse-dates
effort: extended
phase: ${phase}
progress: 0/1
---
## Criteria
- [${done}] ISC-1: Dates are read
`)
const sync = (phase: string, sessionUUID?: string) => ({
  specification: fileOf(phase),
  folder: 'folder',
  stored: 'WORK/folder/SPEC.md',
  sessionUUID,
})

/** A light session with every field that one can have. */
const lightState = () => {
  const prompt = { sessionUUID: 'u1', text: 'Build a date parser', sessionName: 'Build Dates' }
  const one = recordPrompt(EMPTY, prompt, NOW).state
  const two = writeVoicePhase(one, { phase: 'OBSERVE' }, NOW + MINUTE).state
  const three = recordRating(two, { sessionUUID: 'u1', value: 8, message: 'x'.repeat(50) }, NOW)
  const four = recordPrompt(three.state, { sessionUUID: 'u1', text: 'thanks' }, NOW + MINUTE).state
  const { __pulse_strip, ...sessions } = four.sessions
  const state = { sessions }
  const slug = onlySlug(state)
  const agents = [{ name: 'a', agentType: 'Explore', status: 'running' }]
  const entry = {
    ...entryAt(state, slug),
    agents,
    lastToolActivity: iso(NOW + 2 * MINUTE),
    theirs: { kept: true },
  }
  return { slug, entry, state: { sessions: { [slug]: entry } } }
}

describe('syncSpecification', () => {
  it('promotes a light session in one step and keeps everything it gathered', () => {
    const { slug, entry, state } = lightState()
    const at = NOW + 3 * MINUTE
    const { state: next, outcome } = syncSpecification(state, sync('think', 'u1'), at)
    expect(outcome).toEqual({ slug: 'parse-dates', promoted: [slug] })
    expect(Object.keys(next.sessions)).toEqual(['parse-dates'])
    expect(entryAt(next, 'parse-dates')).toMatchObject({
      task: 'Parse dates',
      sessionUUID: 'u1',
      sessionName: 'Build Dates',
      mode: 'starting',
      phase: 'think',
      progress: '0/1',
      effort: 'extended',
      started: iso(NOW),
      updatedAt: iso(at),
      lastToolActivity: iso(NOW + 2 * MINUTE),
      isa: 'WORK/folder/SPEC.md',
      criteria: [{ id: 'ISC-1', createdInPhase: 'THINK' }],
      phaseHistory: [
        { phase: 'OBSERVE', startedAt: NOW + MINUTE, completedAt: at, source: 'voice' },
        { phase: 'THINK', startedAt: at, source: 'isa' },
      ],
      ratings: [{ value: 8, message: 'x'.repeat(32) }],
      minimalCount: 1,
      agents: entry.agents,
      currentMode: 'algorithm',
      previousSlugs: [slug],
      theirs: { kept: true },
    })
    const modes = entryAt(next, 'parse-dates').modeHistory
    expect(modes).toMatchObject([{ mode: 'algorithm' }, { mode: 'minimal' }, { mode: 'algorithm' }])
    const late = writeVoicePhase(next, { phase: 'THINK', slug }, at + 1)
    expect(late.outcome).toEqual({ written: true, slug: 'parse-dates' })
    expect(entryAt(late.state, 'parse-dates').phaseHistory).toMatchObject([
      {},
      { phase: 'THINK', source: 'merged' },
    ])
  })

  it('updates a full session with the next edit; a criterion keeps its phase', () => {
    const one = syncSpecification(EMPTY, sync('observe', 'u1'), NOW).state
    const two = syncSpecification(one, sync('build', 'u1'), NOW + HOUR).state
    expect(entryAt(two, 'parse-dates')).toMatchObject({
      phase: 'build',
      started: iso(NOW),
      criteria: [{ createdInPhase: 'OBSERVE' }],
      phaseHistory: [{ phase: 'OBSERVE', completedAt: NOW + HOUR }, { phase: 'BUILD' }],
    })
    expect(entryAt(two, 'parse-dates')).not.toHaveProperty('previousSlugs')
  })

  it('a light session of a later prompt is merged into the existing full one', () => {
    const { slug, state } = lightState()
    const full = syncSpecification(EMPTY, sync('observe', 'u0'), NOW - HOUR).state
    const both = { sessions: { ...full.sessions, ...state.sessions } }
    const next = syncSpecification(both, sync('build', 'u1'), NOW + HOUR).state
    expect(Object.keys(next.sessions)).toEqual(['parse-dates'])
    expect(entryAt(next, 'parse-dates')).toMatchObject({
      sessionUUID: 'u1',
      started: iso(NOW - HOUR),
      previousSlugs: [slug],
      phaseHistory: [
        { phase: 'OBSERVE', source: 'isa', completedAt: NOW + MINUTE },
        { phase: 'OBSERVE', source: 'voice', completedAt: NOW + HOUR },
        { phase: 'BUILD' },
      ],
    })
  })

  it('uses the folder for a missing slug, observe for a missing phase, and never resets a phase', () => {
    const bare = { ...sync('x', 'u1'), specification: parseSpecification('# Nothing') }
    const one = syncSpecification(EMPTY, bare, NOW).state
    expect(entryAt(one, 'folder')).toMatchObject({
      phase: 'observe',
      task: 'folder',
      progress: '0/0',
      effort: 'standard',
      criteriaParseWarning: 'missing-section',
    })
    const two = writeVoicePhase(one, { phase: 'BUILD', slug: 'folder' }, NOW).state
    expect(entryAt(syncSpecification(two, bare, NOW).state, 'folder')).toMatchObject({
      phase: 'build',
    })
  })

  it('leaves other sessions alone, and files without a known session', () => {
    const { slug, state } = lightState()
    const other = syncSpecification(state, sync('build', 'u2'), NOW).state
    expect(other.sessions[slug]).toBe(state.sessions[slug])
    const unknown = syncSpecification(state, sync('build'), NOW).state
    expect(Object.keys(unknown.sessions)).toEqual([slug, 'parse-dates'])
  })
})
