import { algorithmView, type WorkState } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_THRESHOLDS } from './activity.ts'
import { describeWorkState, nextViewChange } from './describe-work-state.ts'
import { HOUR, iso, MINUTE, NOW } from './testing/states.ts'

const options = { nowMs: NOW, thresholds: DEFAULT_THRESHOLDS }
const session = (fields: object = {}) => ({
  task: 'a task',
  mode: 'starting',
  phase: 'build',
  started: iso(NOW - HOUR),
  updatedAt: iso(NOW),
  ...fields,
})
const criteria = [{ id: 'ISC-1', description: 'd', type: 'criterion', status: 'completed' }]
const show = (sessions: object, given: object = {}) =>
  describeWorkState({ sessions: { ...sessions } }, { ...options, ...given })
const slugs = (sessions: object, given: object = {}) =>
  show(sessions, given).algorithms.map(({ sessionId }) => sessionId)

describe('describeWorkState', () => {
  it('shows a session as dashboards read it', () => {
    const entry = session({
      sessionUUID: 'u1',
      sessionName: 'Fix The Parser',
      effort: 'extended',
      progress: '1/2',
      criteria,
      iteration: 3,
      isa: 'WORK/a/SPEC.md',
      intent: 'why',
      minimalCount: 2,
      phaseHistory: [
        { phase: 'observe', startedAt: 1, completedAt: 2, source: 'prd' },
        { phase: 'BUILD', startedAt: NOW - MINUTE, criteriaCount: 4, source: 'voice' },
      ],
    })
    const run = {
      subagent_id: 's1',
      subagent_type: 'Explore',
      description: 'look',
      session_id: 'u1',
      status: 'running' as const,
      startedAt: iso(NOW - 1000),
    }
    const view = show({ a: entry }, { agents: [run, { ...run, session_id: 'u2' }] })
    expect(algorithmView.parse(view)).toEqual(view)
    expect(view).toMatchObject({ active: true, pulseStrip: [] })
    expect(view.algorithms).toEqual([
      {
        active: true,
        stale: false,
        sessionId: 'a',
        sessionUUID: 'u1',
        taskDescription: 'Fix The Parser',
        rawTask: 'a task',
        currentPhase: 'BUILD',
        phaseStartedAt: NOW - MINUTE,
        algorithmStartedAt: NOW - HOUR,
        effortLevel: 'Extended',
        mode: 'starting',
        currentMode: 'algorithm',
        modeHistory: [],
        criteria,
        progress: { done: 1, total: 2 },
        phaseHistory: [
          {
            phase: 'OBSERVE',
            startedAt: 1,
            completedAt: 2,
            criteriaCount: 0,
            agentCount: 0,
            source: 'isa',
          },
          {
            phase: 'BUILD',
            startedAt: NOW - MINUTE,
            criteriaCount: 4,
            agentCount: 1,
            source: 'voice',
          },
        ],
        agents: [
          { name: 'look', agentType: 'Explore', status: 'running', task: 'look', phase: 'BUILD' },
        ],
        capabilities: [],
        prdPath: 'WORK/a/SPEC.md',
        intent: 'why',
        reworkCount: 2,
        ratings: [],
        minimalCount: 2,
        lastActivityAt: NOW,
      },
    ])
  })

  it.each([
    ['native', 5],
    ['minimal', 5],
    ['starting', 10],
    ['interactive', 10],
  ])('%s sessions go stale after %d minutes without either signal', (mode, minutes) => {
    const at = (ageMs: number, more: object = {}) =>
      show({ a: session({ mode, criteria, updatedAt: iso(NOW - ageMs), ...more }) }).algorithms[0]
    expect(at(minutes * MINUTE - 1)).toMatchObject({ active: true, stale: false })
    expect(at(minutes * MINUTE)).toMatchObject({ active: false, stale: true })
    // The later of the two counts.
    expect(at(HOUR, { lastToolActivity: iso(NOW - MINUTE) })).toMatchObject({ stale: false })
    expect(at(MINUTE, { lastToolActivity: iso(NOW - HOUR) })).toMatchObject({ stale: false })
  })

  it('accepts other thresholds', () => {
    const entry = { a: session({ mode: 'native', updatedAt: iso(NOW - HOUR) }) }
    expect(slugs(entry)).toEqual([])
    expect(slugs(entry, { thresholds: { nativeMs: 4 * HOUR, startingMs: 1 } })).toEqual(['a'])
  })

  it('shows active sessions, complete ones for a day, and stale ones with criteria for a day', () => {
    const day = 24 * HOUR
    const shown = slugs({
      active: session(),
      done: session({ phase: 'complete', updatedAt: iso(NOW - day + 1) }),
      doneLong: session({ phase: 'complete', updatedAt: iso(NOW - day) }),
      stale: session({ updatedAt: iso(NOW - HOUR) }),
      staleCriteria: session({ criteria, updatedAt: iso(NOW - day + 1) }),
      staleLong: session({ criteria, updatedAt: iso(NOW - day) }),
      never: { task: 'without any time' },
      __pulse_strip: { ratings: [{ value: 7, timestamp: 1 }], updatedAt: iso(NOW) },
    })
    expect(shown.toSorted()).toEqual(['active', 'done', 'staleCriteria'])
  })

  it('groups rows of one host session, those with criteria first', () => {
    const at = (ageMs: number, fields: object) =>
      session({ updatedAt: iso(NOW - ageMs), ...fields })
    const order = slugs({
      light: at(0, { sessionUUID: 'u1' }),
      alone: at(1000, {}),
      full: at(60_000, { sessionUUID: 'u1', criteria }),
      done: at(500, { phase: 'complete' }),
    })
    expect(order).toEqual(['full', 'light', 'alone', 'done'])
  })

  it('reads ratings of the strip and never shows a path outside of the home', () => {
    const strip = { ratings: [{ value: 7, timestamp: 1 }, 'odd', { value: 99, timestamp: 2 }] }
    expect(show({ __pulse_strip: strip }).pulseStrip).toEqual([{ value: 7, timestamp: 1 }])
    const pathOf = (isa: string) => show({ a: session({ isa }) }).algorithms[0]?.prdPath
    expect(pathOf('/home/me/.steward/MEMORY/WORK/a/ISA.md')).toBe('MEMORY/WORK/a/ISA.md')
    for (const path of ['/etc/passwd', '../x', 'a/../../x', '~/x', 'C:\\x']) {
      expect(pathOf(path)).toBeUndefined()
    }
  })

  it('handles offsets and daylight saving', () => {
    // Both are the same instant, an hour after clocks in Berlin went forward.
    const change = Date.UTC(2026, 2, 29, 2, 0)
    const summer = session({ criteria, updatedAt: '2026-03-29T04:00:00+02:00' })
    const at = (nowMs: number) => show({ a: summer }, { nowMs }).algorithms[0]
    expect(at(change)).toMatchObject({ lastActivityAt: change, stale: false })
    expect(at(change + 10 * MINUTE)).toMatchObject({ stale: true })
    const numeric = session({ updatedAt: NOW - MINUTE })
    expect(show({ a: numeric }).algorithms[0]).toMatchObject({ lastActivityAt: NOW - MINUTE })
  })

  it('treats a signal slightly ahead as now, and ignores one further ahead', () => {
    const at = (aheadMs: number, more: object = {}) =>
      show({ a: session({ criteria, updatedAt: iso(NOW + aheadMs), ...more }) }).algorithms[0]
    expect(at(2 * MINUTE)).toMatchObject({ active: true, lastActivityAt: NOW })
    expect(at(HOUR)).toBeUndefined()
    expect(at(HOUR, { lastToolActivity: iso(NOW - MINUTE) })).toMatchObject({
      active: true,
      lastActivityAt: NOW - MINUTE,
    })
  })

  it('returns a valid view of any file', () => {
    const entry = fc.dictionary(
      fc.constantFrom(
        ...['task', 'mode', 'phase', 'updatedAt', 'started', 'criteria', 'phaseHistory', 'agents'],
        ...['ratings', 'progress', 'effort', 'iteration', 'isa', 'sessionUUID', 'modeHistory'],
      ),
      fc.oneof(fc.jsonValue(), fc.constantFrom(iso(NOW), 'complete', 'native', NOW)),
    )
    const anything = fc.dictionary(fc.string(), fc.oneof(entry, fc.jsonValue()))
    fc.assert(
      fc.property(anything, (sessions) => {
        const view = describeWorkState({ sessions }, options)
        expect(algorithmView.parse(JSON.parse(JSON.stringify(view)))).toEqual(
          JSON.parse(JSON.stringify(view)),
        )
      }),
    )
  })

  it('reports when it will change without an update, and changes at no other time', () => {
    const age = fc.integer({ min: -2 * HOUR, max: 30 * HOUR })
    const entry = fc
      .record({
        mode: fc.constantFrom('native', 'starting'),
        phase: fc.constantFrom('build', 'complete'),
        criteria: fc.constantFrom([], criteria),
        updated: age,
        tool: fc.option(age),
      })
      .map(({ updated, tool, ...rest }) => ({
        ...rest,
        updatedAt: iso(NOW - updated),
        ...(tool === null ? {} : { lastToolActivity: iso(NOW - tool) }),
      }))
    const shape = (state: WorkState, nowMs: number) =>
      describeWorkState(state, { ...options, nowMs }).algorithms.map(
        ({ sessionId, active, stale }) => [sessionId, active, stale],
      )
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), entry), (sessions) => {
        const until = nextViewChange({ sessions }, options) ?? NOW + 1000 * HOUR
        expect(until).toBeGreaterThan(NOW)
        const now = new Set(shape({ sessions }, NOW).map(String))
        expect(new Set(shape({ sessions }, until - 1).map(String))).toEqual(now)
      }),
    )
  })
})
