import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { EVENT_SOURCE_NAMES, type EventSource, stewardEvent } from '@steward/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { appendLogRow } from '../logs/append-log.ts'
import { collectEvents } from './collect-events.ts'
import { instantOf } from './event-instant.ts'
import { eventKey } from './event-key.ts'
import { eventLogPath } from './event-log-path.ts'
import { normaliseEvent } from './normalise-event.ts'
import { sortEvents } from './sort-events.ts'

const AT = '2026-03-01T10:00:00.000+01:00'
const event = (timestamp: string, more: Record<string, unknown> = {}) =>
  normaliseEvent('tool-activity', { timestamp, session_id: 's', ...more })

describe('normaliseEvent', () => {
  test.each([
    ['tool-activity', { event: 'tool_use', type: 'other' }, 'tool_use'],
    ['tool-activity', { type: 'custom' }, 'custom'],
    ['tool-activity', { event: '', type: ' ' }, 'tool_use'],
    ['tool-activity', { event: 7, type: null }, 'tool_use'],
    ['tool-activity', { event_type: 'sent' }, 'tool_use'],
    ['tool-failure', { event: 'tool_failure' }, 'tool_failure'],
    ['tool-failure', {}, 'tool-failure'],
    ['subagent', { event: 'subagent_start' }, 'subagent_start'],
    ['subagent', {}, 'subagent'],
    ['voice', { type: 'voice_start', event_type: 'sent' }, 'voice_start'],
    ['voice', { event_type: 'sent' }, 'voice_complete'],
    ['voice', { event_type: 'failed' }, 'voice_failed'],
    ['voice', { event_type: 'skipped' }, 'voice_skipped'],
    ['voice', { event_type: 'else' }, 'voice'],
  ] as const)('%s row %j has the type %s', (source, row, type) => {
    expect(normaliseEvent(source, row)).toMatchObject({ source, type })
  })

  test('other fields pass through, and the source is always the file', () => {
    const row = {
      timestamp: AT,
      session_id: 's',
      source: 'voice',
      event: 'tool_use',
      tool_name: 'Bash',
      ground_truth: { a: [1] },
    }
    expect(normaliseEvent('tool-activity', row)).toEqual({
      ...row,
      source: 'tool-activity',
      type: 'tool_use',
    })
  })

  test.each([
    [AT, AT],
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
    ['2026-03-01T10:00:00', new Date(2026, 2, 1, 10).toISOString()],
    [1_772_000_000_000, '2026-02-25T06:13:20.000Z'],
    ['hello 5', ''],
    ['2026-13-41T10:00:00Z', ''],
    [Number.NaN, ''],
    [9e99, ''],
    [253_402_300_799_999, '9999-12-31T23:59:59.999Z'],
    [253_402_300_800_000, ''],
    [-62_167_219_200_001, ''],
    [null, ''],
    [undefined, ''],
  ])('the timestamp %j becomes %j', (given, timestamp) => {
    expect(normaliseEvent('voice', { timestamp: given }).timestamp).toBe(timestamp)
  })

  test('whatever a row holds, it becomes an event, and again the same', () => {
    const row = fc.dictionary(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          'timestamp',
          'session_id',
          'source',
          'type',
          'event',
          'event_type',
          '__proto__',
        ),
      ),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_SOURCE_NAMES), row, (source, fields) => {
        const once = normaliseEvent(source, fields)
        expect(stewardEvent.safeParse(once).success).toBe(true)
        expect(normaliseEvent(source, once)).toEqual(once)
      }),
    )
  })
})

describe('eventKey', () => {
  test('is that of dashboards, and distinguishes tool calls of one millisecond', () => {
    expect(eventKey(event(AT))).toBe(`${AT}|s|tool_use|tool-activity`)
    expect(eventKey(event(AT, { tool_use_id: 'a' }))).not.toBe(
      eventKey(event(AT, { tool_use_id: 'b' })),
    )
  })

  test('tells events of one second apart that have no id of their call', () => {
    const rows = ['ls', 'pwd'].flatMap((preview) =>
      ['Bash', 'Read'].map((tool) => event(AT, { tool_name: tool, tool_input_preview: preview })),
    )
    expect(new Set(rows.map(eventKey)).size).toBe(4)
    expect(eventKey(rows[0] ?? event(AT))).toBe(eventKey({ ...(rows[0] ?? event(AT)) }))
  })
})

describe('sortEvents', () => {
  test('newest first by the instant, unreadable last, equal ones as they came', () => {
    const sorted = sortEvents([
      event('', { n: 1 }),
      event('2026-03-01T10:00:00+01:00', { n: 2 }),
      event('2026-03-01T09:30:00Z', { n: 3 }),
      event('never', { n: 4 }),
      event('2026-03-01T09:00:00Z', { n: 5 }),
    ])
    expect(sorted.map(({ n }) => n)).toEqual([3, 2, 5, 1, 4])
  })

  test('across the hour that a change of summer time repeats', () => {
    const sorted = sortEvents([
      event('2026-10-25T02:30:00+02:00', { n: 1 }),
      event('2026-10-25T02:10:00+01:00', { n: 2 }),
    ])
    expect(sorted.map(({ n }) => n)).toEqual([2, 1])
  })

  test('sorts any timestamps and loses no event', () => {
    const stamp = fc.oneof(
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
        .map((date) => date.toISOString()),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(stamp), (stamps) => {
        const sorted = sortEvents(stamps.map((timestamp, n) => event(timestamp, { n })))
        const instants = sorted.map(
          ({ timestamp }) => instantOf(timestamp) ?? Number.NEGATIVE_INFINITY,
        )
        expect(instants).toEqual(instants.toSorted((a, b) => (a === b ? 0 : b - a)))
        expect(sorted.map(({ n }) => n).toSorted((a, b) => Number(a) - Number(b))).toEqual(
          stamps.map((_, n) => n),
        )
      }),
    )
  })
})

describe('collectEvents', () => {
  let home = { root: '' }
  beforeEach(() => {
    home = { root: mkdtempSync(join(tmpdir(), 'steward-events-')) }
  })
  afterEach(() => rmSync(home.root, { recursive: true, force: true }))

  const fill = (source: EventSource, count: number, everyMs: number) => {
    const path = eventLogPath(home, source)
    mkdirSync(dirname(path), { recursive: true })
    const rows = Array.from({ length: count }, (_, n) =>
      JSON.stringify({
        timestamp: new Date(1_772_000_000_000 + n * everyMs).toISOString(),
        session_id: 's',
        n,
      }),
    )
    writeFileSync(path, `${rows.join('\n')}\n`)
  }

  test('a home without logs has no events, which is not a fault', async () => {
    const { events, failed } = await collectEvents(home)
    expect({ events, failed }).toEqual({ events: [], failed: {} })
  })

  test('the last of each source, merged, newest first, at most 200', async () => {
    for (const source of EVENT_SOURCE_NAMES) fill(source, 300, 1000)
    const { events } = await collectEvents(home)
    expect(events).toHaveLength(200)
    const of = (source: EventSource) =>
      events.filter((item) => item.source === source).map(({ n }) => n)
    const last = (count: number) => Array.from({ length: count }, (_, n) => 299 - n)
    expect(of('tool-activity')).toEqual(last(50))
    for (const source of ['tool-failure', 'voice', 'subagent'] as const)
      expect(of(source)).toEqual(last(50))
  })

  test('takes 100 of tool activity and 50 of the others', async () => {
    fill('tool-activity', 300, 1000)
    fill('voice', 300, 1000)
    const { events } = await collectEvents(home)
    expect(events.filter(({ source }) => source === 'tool-activity')).toHaveLength(100)
    expect(events.filter(({ source }) => source === 'voice')).toHaveLength(50)
  })

  test('rows of one millisecond come newest first too', async () => {
    fill('subagent', 5, 0)
    expect((await collectEvents(home)).events.map(({ n }) => n)).toEqual([4, 3, 2, 1, 0])
  })

  test('a source that cannot be read is named and leaves the others whole; bad lines are counted', async () => {
    fill('voice', 3, 1000)
    writeFileSync(eventLogPath(home, 'voice'), 'not a row\n', { flag: 'a' })
    mkdirSync(eventLogPath(home, 'tool-activity'), { recursive: true })
    appendLogRow(eventLogPath(home, 'subagent'), { timestamp: AT })
    const { events, failed, skipped } = await collectEvents(home)
    expect(events).toHaveLength(4)
    expect(Object.keys(failed)).toEqual(['tool-activity'])
    expect(failed['tool-activity']).toMatchObject({ code: 'storage_failed' })
    expect(skipped.voice).toEqual({ foreign: 1, binary: 0, tooLong: 0, torn: 0 })
  })
})
