import { PHASES, type WorkState } from '@steward/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bumpToolActivity } from './bump-tool-activity.ts'
import { endSession } from './end-session.ts'
import { nameSession } from './name-session.ts'
import { pruneSessions } from './prune-sessions.ts'
import { recordPrompt } from './record-prompt.ts'
import { recordRating } from './record-rating.ts'
import { sessionsOf } from './sessions.ts'
import { parseSpecification } from './specification/parse-specification.ts'
import { syncSpecification } from './sync-specification.ts'
import { EMPTY, HOUR, MINUTE, NOW } from './testing/states.ts'
import { writeVoicePhase } from './write-voice-phase.ts'

const STRANGE = { odd: null, odder: [1], foreign: { phase: 7, phaseHistory: {}, mine: 'kept' } }

type Step = (state: WorkState, nowMs: number) => WorkState

const uuid = fc.constantFrom('u1', 'u2')
const prompts = fc.constantFrom('build it', 'what now?', 'thanks', '<system-reminder>x', '')
const phases = fc.constantFrom(...PHASES)
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(uuid, prompts).map(
    ([sessionUUID, text]): Step =>
      (state, nowMs) =>
        recordPrompt(state, { sessionUUID, text }, nowMs).state,
  ),
  fc.tuple(phases, fc.option(uuid)).map(
    ([phase, id]): Step =>
      (state, nowMs) =>
        writeVoicePhase(state, { phase, ...(id === null ? {} : { sessionUUID: id }) }, nowMs).state,
  ),
  fc.tuple(uuid, phases, fc.constantFrom('s1', 's2')).map(
    ([sessionUUID, phase, folder]): Step =>
      (state, nowMs) => {
        const text = `---\nphase: ${phase.toLowerCase()}\n---\n## Criteria\n- [ ] ISC-1: a\n`
        const specification = parseSpecification(text)
        const stored = `WORK/${folder}/SPEC.md`
        return syncSpecification(state, { specification, folder, stored, sessionUUID }, nowMs).state
      },
  ),
  uuid.map(
    (id): Step =>
      (state, nowMs) =>
        bumpToolActivity(state, id, nowMs).state,
  ),
  uuid.map(
    (id): Step =>
      (state, nowMs) =>
        endSession(state, id, nowMs).state,
  ),
  uuid.map(
    (sessionUUID): Step =>
      (state, nowMs) =>
        nameSession(state, { sessionUUID, name: 'Name It Well Now' }, nowMs).state,
  ),
  uuid.map(
    (sessionUUID): Step =>
      (state, nowMs) =>
        recordRating(state, { sessionUUID, value: 7 }, nowMs).state,
  ),
)

/** Time advances, stands still, and sometimes jumps back. */
const pauses = fc.oneof(fc.integer({ min: 0, max: 20 * MINUTE }), fc.constant(-HOUR))

const rowsOf = (state: WorkState): number =>
  sessionsOf(state).reduce((sum, { view }) => sum + view.phaseHistory.length, 0)

const ratingsOf = (state: WorkState): number =>
  sessionsOf(state).reduce((sum, { view }) => sum + view.ratings.length, 0)

const checkSession = (state: WorkState): void => {
  for (const { slug, view, raw } of sessionsOf(state)) {
    if (slug in STRANGE) continue
    expect(raw.phase).toBe(String(raw.phase).toLowerCase())
    expect(['starting', 'native']).toContain(view.mode)
    expect(view.updatedMs).toBeDefined()
    const { phaseHistory } = view
    for (const [index, row] of phaseHistory.entries()) {
      const isLast = index === phaseHistory.length - 1
      const isOpen = row.completedAt === undefined
      expect(isOpen).toBe(isLast && view.phase !== 'complete')
      expect(row.completedAt ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(row.startedAt)
      expect(['voice', 'isa', 'merged']).toContain(row.source)
      // Two consecutive rows of one phase only come from merged sessions.
      if (!isLast && view.previousSlugs.length === 0) {
        expect(phaseHistory[index + 1]?.phase).not.toBe(row.phase)
      }
    }
    const open = view.modeHistory.filter(({ endedAt }) => endedAt === undefined)
    expect(open.length).toBeLessThanOrEqual(1 + view.previousSlugs.length)
  }
}

test("any sequence of transitions keeps the invariants, the history and other programs' data", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(steps, pauses), { maxLength: 40 }), (sequence) => {
      let nowMs = NOW
      let state: WorkState = { version: 3, sessions: { ...STRANGE } }
      for (const [step, pauseMs] of sequence) {
        const next = step(state, nowMs)
        checkSession(next)
        expect(rowsOf(next)).toBeGreaterThanOrEqual(rowsOf(state))
        expect(ratingsOf(next)).toBeGreaterThanOrEqual(ratingsOf(state))
        expect(next).toMatchObject({ version: 3, sessions: STRANGE })
        state = next
        nowMs += pauseMs
      }
      expect(pruneSessions(state, nowMs).outcome.map(({ slug }) => slug)).not.toContain('foreign')
    }),
    { numRuns: 300 },
  )
})

test('finished sessions are removed after a day, unfinished work with a specification after a month', () => {
  const day = 24 * HOUR
  const prompt = { sessionUUID: 'u1', text: 'what is this?', timeZone: 'UTC' }
  const light = recordPrompt(EMPTY, prompt, NOW).state
  const sync = { folder: 'full', stored: 'WORK/full/SPEC.md', sessionUUID: 'u2' }
  const specification = parseSpecification('---\nphase: build\n---\n')
  const { state } = syncSpecification(light, { ...sync, specification }, NOW)
  const gone = (afterMs: number) =>
    pruneSessions(state, NOW + afterMs).outcome.map(({ slug }) => slug)
  expect(gone(day - 1)).toEqual([])
  expect(gone(day)).toEqual(['20260307-150405_what-is-this'])
  expect(gone(30 * day)).toHaveLength(2)
  expect(gone(-day)).toEqual([])
  expect(pruneSessions(state, NOW).state).toBe(state)
})
