import type { StewardEvent } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWatchdog } from './create-watchdog.ts'
import { describeSilence } from './describe-silence.ts'
import {
  FORGET_SILENT_MS,
  FORGET_UNNAMED_MS,
  lookForSilence,
  type SilenceAlert,
} from './look-for-silence.ts'
import { observeEvents } from './observe-events.ts'
import { MOST_AGENTS } from './roster.ts'
import { createWatchdogState, WATCHDOG_LOOK_MS } from './watchdog-state.ts'

const START = Date.parse('2026-03-01T10:00:00Z')
const SILENCE_MS = 90_000

const at = (ms: number): string => new Date(START + ms).toISOString()

const agentRow = (type: string, ms: number, more: object = {}): StewardEvent => ({
  timestamp: at(ms),
  session_id: 's',
  source: 'subagent',
  type,
  subagent_id: 'a',
  subagent_type: 'Engineer',
  description: 'repair the roof',
  ...more,
})
const started = (ms: number, more: object = {}) => agentRow('subagent_start', ms, more)
const spawned = (ms: number, more: object = {}) => agentRow('subagent_spawned_async', ms, more)
const stopped = (ms: number, more: object = {}) => agentRow('subagent_stop', ms, more)
const called = (ms: number, more: object = {}): StewardEvent => ({
  timestamp: at(ms),
  session_id: 's',
  source: 'tool-activity',
  type: 'tool_use',
  tool_name: 'Read',
  tool_use_id: 'call',
  ...more,
})

/** A watchdog with a manual clock; `wait` checks as often as a real one. */
const createWatch = (silenceMs = SILENCE_MS) => {
  let state = createWatchdogState()
  let now = START
  const alerts: Array<SilenceAlert & { atMs: number }> = []
  const look = () => {
    const found = lookForSilence(state, now, silenceMs)
    state = found.state
    alerts.push(...found.alerts.map((alert) => ({ ...alert, atMs: now - START })))
    return found
  }
  return {
    alerts,
    look,
    see: (...events: StewardEvent[]) => {
      state = observeEvents(state, events, now)
      return look()
    },
    wait: (ms: number) => {
      const end = now + ms
      while (now < end) {
        now = Math.min(end, now + WATCHDOG_LOOK_MS)
        look()
      }
    },
    setClock: (ms: number) => {
      now = START + ms
    },
    state: () => state,
  }
}

describe('one agent', () => {
  it('is reported once after the configured silence', () => {
    const watch = createWatch()
    watch.see(started(0), spawned(0))
    watch.wait(89_999)
    expect(watch.alerts).toEqual([])
    watch.wait(1)
    expect(watch.alerts).toEqual([
      {
        session_id: 's',
        subagent_id: 'a',
        subagent_type: 'Engineer',
        description: 'repair the roof',
        since: at(0),
        silentSeconds: 90,
        atMs: 90_000,
      },
    ])
    watch.wait(600_000)
    expect(watch.alerts).toHaveLength(1)
  })

  it('is reported again only after a new call and a new silence', () => {
    const watch = createWatch()
    watch.see(started(0))
    watch.wait(100_000)
    watch.see(called(100_000, { agent_id: 'a' }))
    watch.wait(89_000)
    expect(watch.alerts).toHaveLength(1)
    watch.wait(10_000)
    expect(watch.alerts.map(({ since }) => since)).toEqual([at(0), at(100_000)])
  })

  it('ends with its stop, not with its launch', () => {
    const watch = createWatch()
    watch.see(started(0))
    watch.see(spawned(10))
    watch.wait(60_000)
    watch.see(stopped(60_000))
    watch.wait(600_000)
    expect(watch.alerts).toEqual([])
  })

  it('ends with its session', () => {
    const watch = createWatch()
    watch.see(started(0), { ...called(5), type: 'session_end' })
    watch.wait(600_000)
    expect(watch.alerts).toEqual([])
  })

  it('is not watched while its host waits for it', () => {
    const watch = createWatch()
    watch.see(started(0, { run_in_background: false }))
    watch.wait(100_000)
    expect(watch.alerts).toEqual([])
    watch.see(spawned(100_000))
    watch.wait(100_000)
    expect(watch.alerts).toHaveLength(1)
  })

  it('can be restarted after a stop', () => {
    const watch = createWatch()
    watch.see(started(0), stopped(10))
    watch.wait(1000)
    watch.see(started(1000))
    watch.wait(100_000)
    expect(watch.alerts).toHaveLength(1)
  })

  it('is one agent, whichever of its ids a row has', () => {
    const watch = createWatch()
    const none = { subagent_id: undefined }
    watch.see(started(0, { ...none, tool_use_id: 'call' }), started(1, { ...none, agent_id: 'a9' }))
    watch.see(spawned(2, { ...none, tool_use_id: 'call', agent_id: 'a9' }))
    watch.see(stopped(3, { ...none, agent_id: 'a9' }))
    watch.wait(600_000)
    expect(watch.alerts).toEqual([])
  })

  it('tolerates rows in another order than they were written', () => {
    const watch = createWatch()
    watch.wait(1000)
    watch.see(stopped(900), called(800, { agent_id: 'a' }), started(700))
    watch.wait(600_000)
    expect(watch.alerts).toEqual([])
  })
})

describe('several agents', () => {
  it('an active one does not hide a silent one if rows name the caller', () => {
    const watch = createWatch()
    watch.see(started(0), started(0, { subagent_id: 'b' }))
    for (let ms = 30_000; ms <= 120_000; ms += 30_000) {
      watch.wait(30_000)
      watch.see(called(ms, { agent_id: 'b' }), called(ms))
    }
    expect(watch.alerts.map(({ subagent_id, atMs }) => [subagent_id, atMs])).toEqual([
      ['a', 90_000],
    ])
  })

  it('if rows name no caller, any call of the session counts, but none of another session', () => {
    const watch = createWatch()
    watch.see(started(0), started(0, { session_id: 'other', subagent_id: 'o' }))
    for (let ms = 30_000; ms <= 120_000; ms += 30_000) {
      watch.wait(30_000)
      watch.see(called(ms))
    }
    expect(watch.alerts.map(({ subagent_id }) => subagent_id)).toEqual(['o'])
  })

  it('a row of the main assistant counts for no other agent', () => {
    const watch = createWatch()
    watch.see(started(0))
    watch.wait(60_000)
    watch.see(called(60_000, { agent_id: null }))
    watch.wait(30_000)
    expect(watch.alerts).toHaveLength(1)
  })

  it('remembers a bounded number, running ones first', () => {
    const watch = createWatch()
    watch.see(started(0))
    const rows = Array.from({ length: 3 * MOST_AGENTS }, (_, n) =>
      stopped(n + 1, { subagent_id: `x${n}` }),
    )
    watch.wait(2000)
    watch.see(...rows)
    expect(watch.state().agents.size).toBe(MOST_AGENTS)
    expect(watch.state().keyById.size).toBe(MOST_AGENTS)
    watch.wait(100_000)
    expect(watch.alerts).toHaveLength(1)
  })
})

describe('agents without a recorded end', () => {
  it('are dropped silently if they were silent for long before watching started', () => {
    const watch = createWatch()
    watch.setClock(FORGET_SILENT_MS)
    expect(watch.see(started(0)).nextLookMs).toBeUndefined()
    expect(watch.alerts).toEqual([])
  })

  it('are reported immediately if the silence is shorter', () => {
    const watch = createWatch()
    watch.setClock(120_000)
    watch.see(started(0))
    expect(watch.alerts.map(({ silentSeconds }) => silentSeconds)).toEqual([120])
  })

  it('are dropped in an active session too, if nothing ever names them', () => {
    const watch = createWatch()
    watch.see(started(0))
    let looks = 0
    for (let ms = 0; ms <= FORGET_UNNAMED_MS; ms += 60_000) {
      watch.see(called(ms))
      watch.wait(60_000)
      looks++
    }
    expect(looks).toBeGreaterThan(300)
    expect(watch.look().nextLookMs).toBeUndefined()
    watch.wait(600_000)
    expect(watch.alerts).toEqual([])
  })

  it('return with their next call', () => {
    const watch = createWatch()
    watch.see(started(0))
    watch.wait(FORGET_SILENT_MS + 1000)
    expect(watch.alerts).toHaveLength(1)
    watch.see(called(FORGET_SILENT_MS + 1000, { agent_id: 'a' }))
    watch.wait(100_000)
    expect(watch.alerts).toHaveLength(2)
  })
})

describe('createWatchdog', () => {
  it('counts no silence before the oldest tool call it has read', () => {
    let now = START + 600_000
    const watchdog = createWatchdog({ now: () => now, silenceMs: () => SILENCE_MS })
    watchdog.begin({
      events: [started(0), stopped(1, { subagent_id: 'b' })],
      knownSince: now - 80_000,
    })
    expect(watchdog.look().alerts).toEqual([])
    expect(watchdog.watched()).toBe(1)
    now += 10_000
    expect(watchdog.look().alerts.map(({ silentSeconds }) => silentSeconds)).toEqual([90])
    watchdog.see([stopped(610_000)])
    expect([watchdog.watched(), watchdog.look().nextLookMs]).toEqual([0, undefined])
  })
})

describe('the clock', () => {
  it('a clock set forward or a sleeping machine is not silence', () => {
    const watch = createWatch()
    watch.see(started(0))
    watch.wait(30_000)
    watch.setClock(8 * 3_600_000)
    watch.look()
    expect(watch.alerts).toEqual([])
    watch.wait(60_000)
    expect(watch.alerts).toHaveLength(1)
  })

  it('a clock set back delays an alert by at most one check', () => {
    const watch = createWatch()
    watch.see(started(0))
    watch.wait(60_000)
    watch.setClock(-3_600_000)
    watch.wait(30_000 + WATCHDOG_LOOK_MS)
    expect(watch.alerts).toHaveLength(1)
  })

  it('a row from the future counts as now', () => {
    const watch = createWatch()
    watch.see(started(3_600_000))
    watch.wait(90_000)
    expect(watch.alerts).toHaveLength(1)
  })
})

describe('describeSilence', () => {
  const alert = {
    session_id: 's',
    subagent_id: 'a',
    subagent_type: 'Engineer',
    description: 'repair the roof',
    since: at(0),
    silentSeconds: 90,
  }

  it('states the agent, the duration and the start', () => {
    expect(describeSilence(alert)).toBe(
      'watchdog: no tool call for 90 s by the Engineer agent "repair the roof" (a) in session s, last heard of at 2026-03-01T10:00:00.000Z',
    )
  })

  it('stays one line of bounded length, whatever a row contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (description) => {
        const line = describeSilence({ ...alert, description, subagent_id: description })
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(line.length).toBeLessThan(600)
      }),
    )
  })
})

describe('for any events', () => {
  const IDS = ['a', 'b', 'c']
  const happening = fc.oneof(
    fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60_000 }) }),
    fc.record({
      kind: fc.constantFrom('start' as const, 'stop' as const, 'call' as const),
      id: fc.constantFrom(...IDS),
    }),
  )

  it('alerts exactly when a model that keeps only the last sign of each agent would', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const watch = createWatch()
        let now = 0
        const running = new Map<string, { quietAt: number; told: boolean }>()
        const expected: string[] = []
        const tell = () => {
          for (const id of IDS) {
            const agent = running.get(id)
            if (agent === undefined || agent.told || now - agent.quietAt < SILENCE_MS) continue
            agent.told = true
            expected.push(`${id} ${now}`)
          }
        }
        watch.see(called(0, { agent_id: null }))
        for (const each of happenings) {
          if (each.kind === 'wait') {
            for (const end = now + each.ms; now < end; tell()) {
              now = Math.min(end, now + WATCHDOG_LOOK_MS)
            }
            watch.wait(each.ms)
            continue
          }
          const { id } = each
          // Two events of one agent in the same millisecond cannot be ordered by time.
          now += 1
          watch.wait(1)
          tell()
          if (each.kind === 'start') {
            watch.see(started(now, { subagent_id: id }))
            running.set(id, { quietAt: now, told: false })
          } else if (each.kind === 'stop') {
            watch.see(stopped(now, { subagent_id: id }))
            running.delete(id)
          } else {
            watch.see(called(now, { agent_id: id }))
            if (running.has(id)) running.set(id, { quietAt: now, told: false })
          }
        }
        const told = watch.alerts.map(({ subagent_id, atMs }) => `${subagent_id} ${atMs}`)
        expect(told.toSorted()).toEqual(expected.toSorted())
      }),
      { numRuns: 300 },
    )
  })

  it('accepts any row and any clock: no throw, no alert before that much was watched, bounded', () => {
    const value = fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.constantFrom(...IDS))
    const row = fc.record(
      {
        timestamp: fc.oneof(
          fc.string(),
          fc.integer({ min: -1e9, max: 1e9 }).map((ms) => at(ms)),
        ),
        session_id: fc.constantFrom('s', 't', ''),
        source: fc.constantFrom('tool-activity', 'tool-failure', 'voice', 'subagent'),
        type: fc.constantFrom(
          'subagent_start',
          'subagent_spawned_async',
          'subagent_stop',
          'tool_use',
          'session_end',
          'x',
        ),
        subagent_id: value,
        agent_id: value,
        tool_use_id: value,
        description: value,
        subagent_type: value,
      },
      { requiredKeys: ['timestamp', 'session_id', 'source', 'type'] },
    )
    const step = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.array(row, { maxLength: 5 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = createWatchdogState()
        for (const [ms, events] of steps) {
          state = observeEvents(state, events, START + ms)
          const look = lookForSilence(state, START + ms, SILENCE_MS)
          for (const { silentSeconds } of look.alerts) {
            expect(silentSeconds).toBeGreaterThanOrEqual(SILENCE_MS / 1000)
          }
          expect(lookForSilence(look.state, START + ms, SILENCE_MS).alerts).toEqual([])
          state = look.state
          expect([...state.keyById.values()].every((key) => state.agents.has(key))).toBe(true)
        }
      }),
    )
  })
})
