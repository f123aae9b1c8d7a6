import { describe, expect, it } from 'vitest'
import { appendPhase } from './append-phase.ts'
import { bumpToolActivity } from './bump-tool-activity.ts'
import { endSession } from './end-session.ts'
import { nameSession } from './name-session.ts'
import { EMPTY, entryAt, HOUR, iso, MINUTE, NOW } from './testing/states.ts'
import { writeVoicePhase } from './write-voice-phase.ts'

describe('appendPhase', () => {
  it('begins a row, merges the second source, and closes a row with the next phase', () => {
    const one = appendPhase({ criteria: [] }, 'OBSERVE', 'voice', NOW)
    expect(one).toMatchObject({ phase: 'observe', updatedAt: iso(NOW) })
    const again = appendPhase(one, 'OBSERVE', 'voice', NOW + 1)
    expect(again.phaseHistory).toEqual(one.phaseHistory)
    const two = appendPhase(again, 'OBSERVE', 'isa', NOW + MINUTE)
    const three = appendPhase(two, 'OBSERVE', 'voice', NOW + MINUTE)
    const four = appendPhase(three, 'BUILD', 'isa', NOW + 2 * MINUTE)
    const five = appendPhase(four, 'OBSERVE', 'voice', NOW + 3 * MINUTE)
    expect(five.phase).toBe('observe')
    expect(five.phaseHistory).toMatchObject([
      { phase: 'OBSERVE', startedAt: NOW, completedAt: NOW + 2 * MINUTE, source: 'merged' },
      { phase: 'BUILD', completedAt: NOW + 3 * MINUTE, source: 'isa' },
      { phase: 'OBSERVE', startedAt: NOW + 3 * MINUTE, source: 'voice' },
    ])
  })

  it('reads rows of older programs', () => {
    const old = { phaseHistory: [{ phase: 'build', startedAt: NOW, source: 'prd' }] }
    expect(appendPhase(old, 'BUILD', 'isa', NOW).phaseHistory).toEqual(old.phaseHistory)
    expect(appendPhase(old, 'BUILD', 'voice', NOW).phaseHistory).toMatchObject([
      { source: 'merged' },
    ])
  })

  it('leaves an invalid history unchanged, and no phase ends before it began', () => {
    expect(appendPhase({ phaseHistory: 'x' }, 'PLAN', 'voice', NOW)).toMatchObject({
      phase: 'plan',
      phaseHistory: 'x',
    })
    const ahead = appendPhase({}, 'PLAN', 'voice', NOW + HOUR)
    expect(appendPhase(ahead, 'BUILD', 'voice', NOW).phaseHistory).toMatchObject([
      { startedAt: NOW + HOUR, completedAt: NOW + HOUR },
      { startedAt: NOW },
    ])
  })
})

const session = (fields: object = {}) => ({
  sessionUUID: 'u1',
  mode: 'starting',
  phase: 'starting',
  updatedAt: iso(NOW),
  ...fields,
})

describe('writeVoicePhase', () => {
  const state = {
    sessions: {
      a: session({ updatedAt: iso(NOW - 5 * MINUTE), previousSlugs: ['older'] }),
      b: session({ sessionUUID: 'u2', updatedAt: iso(NOW - MINUTE) }),
      c: session({ sessionUUID: 'u3', phase: 'complete' }),
    },
  }
  const write = (voice: object, at = NOW) =>
    writeVoicePhase(state, { phase: 'BUILD', ...voice }, at).outcome

  it('goes to the named slug, also by an old name, and nowhere else', () => {
    expect(write({ slug: 'a' })).toEqual({ written: true, slug: 'a' })
    expect(write({ slug: 'older' })).toEqual({ written: true, slug: 'a' })
    expect(write({ slug: 'c', sessionUUID: 'u1' })).toEqual({ written: true, slug: 'c' })
    for (const slug of ['gone', 'constructor', '__proto__', '__pulse_strip', '']) {
      expect(write({ slug })).toEqual({ written: false, reason: 'unknown_slug' })
    }
  })

  it('otherwise to the session of the host, never to another one', () => {
    expect(write({ sessionUUID: 'u1' })).toEqual({ written: true, slug: 'a' })
    expect(write({ sessionUUID: 'u9' })).toEqual({ written: false, reason: 'no_active_session' })
    expect(write({ sessionUUID: 'u3' })).toEqual({ written: false, reason: 'no_active_session' })
    expect(write({ sessionUUID: 'u3', phase: 'COMPLETE' })).toEqual({ written: true, slug: 'c' })
  })

  it('else to the one updated last within two hours that is not complete', () => {
    expect(write({})).toEqual({ written: true, slug: 'b' })
    expect(write({}, NOW + 2 * HOUR - MINUTE)).toEqual({ written: true, slug: 'b' })
    expect(write({}, NOW + 2 * HOUR)).toEqual({ written: false, reason: 'no_active_session' })
    expect(writeVoicePhase(EMPTY, { phase: 'BUILD' }, NOW).outcome.written).toBe(false)
  })

  it('falls back to tool activity, and does not believe an update from tomorrow', () => {
    const busy = session({ updatedAt: iso(NOW - 9 * HOUR), lastToolActivity: iso(NOW - MINUTE) })
    const later = session({ updatedAt: iso(NOW + 24 * HOUR) })
    const odd = { sessions: { later, busy } }
    expect(writeVoicePhase(odd, { phase: 'BUILD' }, NOW).outcome).toEqual({
      written: true,
      slug: 'busy',
    })
  })
})

describe('bumpToolActivity', () => {
  it('writes at most every 30 seconds', () => {
    const one = bumpToolActivity({ sessions: { a: session() } }, 'u1', NOW)
    expect(entryAt(one.state, 'a')).toMatchObject({ lastToolActivity: iso(NOW) })
    const soon = bumpToolActivity(one.state, 'u1', NOW + 29_999)
    expect(soon).toEqual({ state: one.state, outcome: { bumped: false, slug: 'a' } })
    expect(soon.state).toBe(one.state)
    expect(bumpToolActivity(one.state, 'u1', NOW + 30_000).outcome.bumped).toBe(true)
    // The clock was set back by an hour.
    expect(bumpToolActivity(one.state, 'u1', NOW - HOUR).outcome.bumped).toBe(true)
  })

  it('takes the newest incomplete session, or none', () => {
    const sessions = {
      old: session({ updatedAt: iso(NOW - HOUR) }),
      done: session({ phase: 'complete' }),
      new: session({ updatedAt: iso(NOW - MINUTE) }),
    }
    expect(bumpToolActivity({ sessions }, 'u1', NOW).outcome).toEqual({ bumped: true, slug: 'new' })
    expect(bumpToolActivity({ sessions }, 'u2', NOW).outcome).toEqual({ bumped: false })
  })
})

describe('endSession', () => {
  it('completes light sessions and leaves the phase of full ones', () => {
    const history = [{ phase: 'BUILD', startedAt: NOW }]
    const sessions = {
      light: session({ phaseHistory: history, modeHistory: [{ mode: 'native', startedAt: NOW }] }),
      full: session({ isa: 'WORK/a/SPEC.md', phase: 'build', phaseHistory: history }),
      other: session({ sessionUUID: 'u2' }),
    }
    const { state, outcome } = endSession({ sessions }, 'u1', NOW + MINUTE)
    expect(outcome).toEqual({ completed: ['light'] })
    expect(entryAt(state, 'light')).toMatchObject({
      phase: 'complete',
      phaseHistory: [{ phase: 'BUILD', completedAt: NOW + MINUTE }],
      modeHistory: [{ endedAt: NOW + MINUTE }],
    })
    expect(entryAt(state, 'full')).toMatchObject({ phase: 'build', phaseHistory: history })
    expect(state.sessions.other).toBe(sessions.other)
  })
})

describe('nameSession', () => {
  it('names active sessions, or else the last one', () => {
    const state = { sessions: { a: session(), b: session({ phase: 'complete' }) } }
    const named = nameSession(state, { sessionUUID: 'u1', name: 'Fix It' }, NOW)
    expect(named.outcome).toEqual({ slugs: ['a'] })
    expect(nameSession(named.state, { sessionUUID: 'u1', name: 'Fix It' }, NOW).state).toBe(
      named.state,
    )
    const over = { sessions: { b: session({ phase: 'complete', updatedAt: iso(NOW - HOUR) }) } }
    const { state: next } = nameSession(over, { sessionUUID: 'u1', name: 'Fix It' }, NOW)
    expect(entryAt(next, 'b')).toMatchObject({
      sessionName: 'Fix It',
      updatedAt: iso(NOW - HOUR),
    })
  })
})
