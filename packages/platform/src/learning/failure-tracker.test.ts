import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failurePattern } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Home, resolveHome } from '../home/home.ts'
import { createRedactor } from '../redaction/redactor.ts'
import { HELD_BACK_TEXTS, missedRates } from '../redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../redaction/testing/secret-forms.ts'
import { countFailures, listFailurePatterns, MOST_PATTERNS } from './failure-counts.ts'
import { createFailureTracker } from './failure-tracker.ts'
import { learningFilesOf } from './learning-files.ts'
import { appendRating, appendSignal, readRatings, readSignals } from './learning-log.ts'

let home: Home
const redactor = createRedactor({ KEY: 'a-very-secret-value' })
beforeEach(() => {
  home = resolveHome({ STEWARD_HOME: mkdtempSync(join(tmpdir(), 'steward-learning-')) })
  mkdirSync(home.stateDir, { recursive: true })
  mkdirSync(home.observability, { recursive: true })
})
afterEach(() => rmSync(home.root, { recursive: true, force: true }))

const fail = (error: string, more: object = {}) =>
  appendFileSync(
    join(home.observability, 'tool-failures.jsonl'),
    `${JSON.stringify({ timestamp: '2026-03-01T10:00:00Z', session_id: 's', tool_name: 'Bash', error, ...more })}\n`,
  )
const openTracker = async () => {
  const tracker = createFailureTracker({ home, redactor: () => redactor, now: () => 0 })
  return { tracker, ...(await tracker.open()) }
}

describe('createFailureTracker', () => {
  it('counts each row once as the log grows, also after a restart', async () => {
    const first = await openTracker()
    expect(await first.tracker.catchUp()).toEqual([])
    expect(first.tracker.patterns()).toEqual([])
    fail('exit 1 of a-very-secret-value')
    fail('exit 2 of a-very-secret-value', { session_id: 't', timestamp: '2026-03-02T10:00:00Z' })
    await first.tracker.catchUp()
    await first.tracker.save()
    await first.tracker.close()
    fail('exit 3 of a-very-secret-value', { timestamp: '2026-03-03T10:00:00Z' })
    const second = await openTracker()
    await second.tracker.catchUp()
    expect(second.tracker.patterns()).toEqual([
      {
        tool: 'Bash',
        pattern: 'exit <n> of [redacted:KEY]',
        count: 3,
        sessions: 2,
        firstAt: '2026-03-01T10:00:00Z',
        lastAt: '2026-03-03T10:00:00Z',
        example: 'exit 3 of [redacted:KEY]',
      },
    ])
    await second.tracker.close()
  })

  it('counts by day, and counts again what an earlier version saved without days', async () => {
    fail('exit 1')
    fail('exit 2', { session_id: 't', timestamp: '2026-03-02T10:00:00Z' })
    const file = learningFilesOf(home).failurePatterns
    const { tracker } = await openTracker()
    await tracker.save()
    expect(tracker.patternsSince('2026-03-03')).toEqual([])
    const [recent] = tracker.patternsSince('2026-03-02')
    expect(recent).toMatchObject({ count: 1, lastSession: 't', pattern: 'exit <n>' })
    expect([...(recent?.days ?? [])]).toEqual([['2026-03-02', 1]])
    await tracker.close()
    const saved = JSON.parse(readFileSync(file, 'utf8'))
    for (const pattern of saved.patterns) delete pattern.days
    writeFileSync(file, JSON.stringify(saved))
    const later = await openTracker()
    expect(later.startedOver).toBeUndefined()
    expect(later.tracker.patternsSince('2026-03-01')).toMatchObject([{ count: 2 }])
    expect(later.tracker.patterns()).toMatchObject([{ count: 2 }])
    await later.tracker.close()
  })

  it('recounts unsaved rows, but not saved ones', async () => {
    fail('boom')
    const first = await openTracker()
    await first.tracker.save()
    fail('boom')
    await first.tracker.catchUp()
    await first.tracker.close()
    const second = await openTracker()
    await second.tracker.catchUp()
    expect(second.tracker.patterns().map(({ count }) => count)).toEqual([2])
    await second.tracker.close()
  })

  it('follows a rotated log', async () => {
    const { tracker } = await openTracker()
    fail('boom')
    await tracker.catchUp()
    fail('boom')
    const path = join(home.observability, 'tool-failures.jsonl')
    renameSync(path, `${path}.1`)
    fail('boom')
    await tracker.catchUp()
    expect(tracker.patterns().map(({ count }) => count)).toEqual([3])
    await tracker.close()
  })

  it('starts over and reports it if its saved state cannot be read', async () => {
    fail('boom')
    writeFileSync(join(home.stateDir, 'failure-patterns.json'), '{"position": 1')
    const { tracker, startedOver } = await openTracker()
    expect(startedOver?.code).toBe('invalid_json')
    expect(tracker.patterns().map(({ count }) => count)).toEqual([1])
    await tracker.close()
  })

  it('finds repeated failures and interruptions in new rows only', async () => {
    for (const n of [1, 2, 3]) fail(`old ${n}`)
    const { tracker } = await openTracker()
    for (const n of [1, 2, 3, 4]) fail(`new file ${n}`)
    fail('stop', { is_interrupt: true })
    fail('whatever', { tool_name: undefined, error: { deep: 1 } })
    const signals = await tracker.catchUp()
    expect(signals.map(({ kind, summary }) => [kind, summary])).toEqual([
      ['repeated-failure', 'Bash failed 3 times in the same way: new file <n>'],
      ['interruption', 'Bash was stopped'],
    ])
    expect(tracker.patterns().map(({ tool }) => tool)).toContain('unknown')
    await tracker.close()
  })
})

describe('countFailures', () => {
  const failure = (error: string, session_id = 's') => ({
    tool: 'Bash',
    error,
    session_id,
    timestamp: '2026-03-01T10:00:00Z',
    isInterrupt: false,
  })

  it('stays bounded; frequent patterns stay', () => {
    const words = Array.from({ length: 1000 }, (_, n) =>
      failure(`x${'y'.repeat(n % 150)} ${'z'.repeat(n / 150)}`),
    )
    const { counts } = countFailures(new Map(), [failure('often'), failure('often'), ...words])
    expect(counts.size).toBe(MOST_PATTERNS)
    const [first] = listFailurePatterns(counts)
    expect(first).toMatchObject({ pattern: 'often', count: 2 })
    for (const pattern of listFailurePatterns(counts)) failurePattern.parse(pattern)
  })

  it('counts sessions, with a bounded memory of them', () => {
    const failures = Array.from({ length: 100 }, (_, n) => failure('boom', `s${n}`))
    const { counts } = countFailures(new Map(), [...failures, failure('boom', 's99')])
    const [only] = counts.values()
    expect([only?.sessions, only?.recentSessions.length, only?.count]).toEqual([100, 16, 101])
  })
})

describe('the logs of ratings and signals', () => {
  it('keep no form of a secret', () => {
    const at = { timestamp: '2026-03-01T10:00:00Z', session_id: 's' }
    for (const { text } of SINK_CASES) {
      appendRating(home, { ...at, rating: 3, comment: text }, redactor)
      appendSignal(home, { ...at, kind: 'praise', summary: text }, redactor)
    }
    const files = learningFilesOf(home)
    expect(findLeaks(readFileSync(files.ratings, 'utf8'))).toEqual([])
    expect(findLeaks(readFileSync(files.signals, 'utf8'))).toEqual([])
  })

  it('keep the held-back texts with the required rates', () => {
    const at = { timestamp: '2026-03-01T10:00:00Z', session_id: 's' }
    for (const text of HELD_BACK_TEXTS) {
      appendRating(home, { ...at, rating: 3, comment: text }, redactor)
      appendSignal(home, { ...at, kind: 'praise', summary: text }, redactor)
    }
    const { ratings, signals } = learningFilesOf(home)
    for (const path of [ratings, signals]) {
      expect(missedRates(readFileSync(path, 'utf8').trimEnd().split('\n'))).toEqual([])
    }
  })

  it('are empty without files, contain no secret, and count invalid lines', async () => {
    expect(await readRatings(home, 10, redactor)).toEqual({ rows: [], strange: 0 })
    const at = { timestamp: '2026-03-01T10:00:00Z', session_id: 's' }
    appendRating(home, { ...at, rating: 3, comment: 'a-very-secret-value' }, redactor)
    appendSignal(home, { ...at, kind: 'praise', summary: 'nice' }, redactor)
    const path = join(home.learning, 'SIGNALS/ratings.jsonl')
    expect(readFileSync(path, 'utf8')).not.toContain('secret')
    appendFileSync(path, 'nonsense\n{"rating": 99}\n')
    appendFileSync(path, `${JSON.stringify({ ...at, rating: 7, mine: 'a-very-secret-value' })}\n`)
    const { rows, strange } = await readRatings(home, 10, redactor)
    expect(rows.map(({ rating, comment, mine }) => [rating, comment, mine])).toEqual([
      [7, undefined, '[redacted:KEY]'],
      [3, '[redacted:KEY]', undefined],
    ])
    expect(strange).toBe(2)
    expect((await readSignals(home, 10, redactor)).rows).toHaveLength(1)
  })
})
