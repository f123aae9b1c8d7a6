import { type ObservabilityTarget, StewardError } from '@steward/contract'
import type { TargetOutcome } from '@steward/platform'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVirtualClock } from '../../../testing/virtual-clock.ts'
import { createPushLane } from './push-lane.ts'
import { requestForEvents, requestForState } from './push-timing.ts'
import { createPusher } from './pusher.ts'

const HTTP: ObservabilityTarget = { name: 'home', type: 'http', url: 'http://127.0.0.1:1' }
const KV: ObservabilityTarget = { name: 'kv', type: 'edge-kv' }

const prepare = (target = HTTP) => {
  const timers = createVirtualClock()
  const log: string[] = []
  /** Pushes that the target has not answered. */
  const open: Array<(outcome: Partial<TargetOutcome>) => void> = []
  const sent: Array<[number, string]> = []
  let answer: Partial<TargetOutcome> | undefined = { ok: true }
  const base = { target: target.name, type: target.type, durationMs: 0, ok: true }
  const push = async (what: string): Promise<TargetOutcome> => {
    sent.push([timers.now(), what])
    if (answer !== undefined) return { ...base, ...answer }
    return new Promise((resolve) => open.push((outcome) => resolve({ ...base, ...outcome })))
  }
  const ports = {
    push,
    now: timers.now,
    elapsed: timers.now,
    setTimer: timers.setTimer,
    log: { warn: (text: string) => log.push(text), info: (text: string) => log.push(text) },
  }
  const failed = (retryAfterMs?: number): Partial<TargetOutcome> => ({
    ok: false,
    error: new StewardError('upstream_failed', { service: 'the target home', reason: 'no' }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  return {
    ...timers,
    advance: timers.advanceInTurns,
    ports,
    lane: createPushLane(target, ports),
    sent,
    log,
    open,
    failed,
    setAnswer: (next: Partial<TargetOutcome> | undefined) => {
      answer = next
    },
  }
}

const TOOL = { what: ['events'], delayMs: 200 } as const
const STATE = { what: ['state'], delayMs: 300 } as const

describe('a push lane', () => {
  it('batches requests within the delay of the first', async () => {
    const { lane, advance, sent } = prepare()
    lane.request(TOOL)
    await advance(150)
    lane.request(TOOL)
    lane.request(STATE)
    await advance(49)
    expect(sent).toEqual([])
    await advance(1)
    expect(sent).toEqual([
      [200, 'events'],
      [200, 'state'],
    ])
    await advance(10_000)
    expect(sent).toHaveLength(2)
  })

  it('has one push in progress and at most one waiting', async () => {
    const { lane, advance, sent, open, setAnswer } = prepare()
    setAnswer(undefined)
    lane.request(TOOL)
    await advance(200)
    for (let count = 0; count < 50; count++) {
      lane.request(TOOL)
      await advance(100)
    }
    expect(sent).toEqual([[200, 'events']])
    expect(lane.health().lagMs).toBe(5200)
    open.shift()?.({ ok: true })
    await advance(0)
    expect(sent).toEqual([
      [200, 'events'],
      [5200, 'events'],
    ])
    open.shift()?.({ ok: true })
    await advance(10_000)
    expect(sent).toHaveLength(2)
    expect(lane.health()).toMatchObject({ status: 'ok', lagMs: 0, pushes: 2 })
  })

  it('retries with growing delays, logs the failure once, and recovers', async () => {
    const { lane, advance, sent, log, failed, setAnswer } = prepare()
    setAnswer(failed())
    lane.request(TOOL)
    await advance(200)
    for (let count = 0; count < 40; count++) {
      lane.request(TOOL)
      await advance(5000)
    }
    const gaps = sent.map(([at], index) => at - (sent[index - 1]?.[0] ?? at)).slice(1)
    expect(gaps).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect(log).toHaveLength(1)
    expect(lane.health()).toMatchObject({ status: 'failing', lastError: expect.any(String) })
    setAnswer({ ok: true })
    await advance(60_000)
    expect(log.at(-1)).toBe('target home: pushes arrive again')
    expect(lane.health()).toMatchObject({ status: 'ok', lastError: null, lagMs: 0, retryAt: null })
  })

  it('waits as long as the target asks', async () => {
    const { lane, advance, sent, failed, setAnswer } = prepare()
    setAnswer(failed(90_000))
    lane.request(TOOL)
    await advance(200 + 89_999)
    expect(sent).toHaveLength(1)
    await advance(1)
    expect(sent).toHaveLength(2)
  })

  it('keeps the work state for later when the events fail', async () => {
    const { lane, advance, sent, failed, setAnswer } = prepare()
    setAnswer(failed())
    lane.request({ what: ['events', 'state'], delayMs: 500 })
    await advance(500)
    expect(sent.map(([, what]) => what)).toEqual(['events'])
    setAnswer({ ok: true })
    await advance(1000)
    expect(sent.map(([, what]) => what)).toEqual(['events', 'events', 'state'])
  })

  it('writes a key at most once a second', async () => {
    const { lane, advance, sent } = prepare(KV)
    for (let count = 0; count < 30; count++) {
      lane.request(TOOL)
      await advance(100)
    }
    expect(sent.map(([at]) => at)).toEqual([200, 1200, 2200])
  })

  it('loses nothing: every request is followed by a push', () => {
    const step = fc.record({
      wait: fc.integer({ min: 0, max: 3000 }),
      ok: fc.boolean(),
      what: fc.constantFrom(TOOL, STATE),
    })
    return fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }), async (steps) => {
        const { lane, advance, now, sent, failed, setAnswer } = prepare()
        const lastAsked = new Map<string, number>()
        for (const { wait, ok, what } of steps) {
          setAnswer(ok ? { ok: true } : failed())
          lane.request(what)
          lastAsked.set(what.what[0], now())
          await advance(wait)
        }
        setAnswer({ ok: true })
        await advance(120_000)
        for (const [what, at] of lastAsked) {
          expect(sent.some(([sentAt, kind]) => kind === what && sentAt >= at)).toBe(true)
        }
        expect(lane.health()).toMatchObject({ status: 'ok', lagMs: 0 })
      }),
      { numRuns: 50 },
    )
  })
})

describe('the pusher', () => {
  it('pushes everything to a new target, and nothing to a removed one', async () => {
    const { ports, advance, sent } = prepare()
    const pusher = createPusher(ports)
    pusher.setTargets([])
    pusher.request([TOOL])
    await advance(1000)
    expect(sent).toEqual([])
    pusher.setTargets([HTTP])
    await advance(200)
    expect(sent.map(([, what]) => what)).toEqual(['events', 'state'])
    pusher.request([TOOL])
    pusher.setTargets([])
    await advance(1000)
    expect(sent).toHaveLength(2)
  })

  it('tries a failing target again immediately when the settings changed', async () => {
    const { ports, advance, sent, failed, setAnswer } = prepare()
    const pusher = createPusher(ports)
    setAnswer(failed(3_000_000))
    pusher.setTargets([HTTP])
    await advance(200)
    expect(sent).toHaveLength(1)
    setAnswer({ ok: true })
    pusher.setTargets([HTTP])
    await advance(0)
    expect(sent.map(([, what]) => what)).toEqual(['events', 'events', 'state'])
  })
})

describe('push timing', () => {
  const event = (type: string) =>
    ({ timestamp: '', session_id: '', source: 'tool-activity', type }) as const

  it.each([
    ['tool_use', [200]],
    ['session_start', [200, 500]],
    ['SessionEnd', [200, 500]],
    ['session.end', [200, 500]],
    ['subagent_start', [200]],
  ])('of %s', (type, delays) => {
    expect(requestForEvents([event(type)]).map(({ delayMs }) => delayMs)).toEqual(delays)
  })

  it('of the work state: 300 ms, and 500 with the events when a session came or ended', () => {
    const one = { sessions: { a: { phase: 'build' } } }
    const delays = (before: typeof one | undefined, after: typeof one) =>
      requestForState(before, after).map(({ delayMs }) => delayMs)
    expect(delays(one, { sessions: { a: { phase: 'verify' } } })).toEqual([300])
    expect(delays(undefined, one)).toEqual([300, 500])
    expect(delays(one, { sessions: { a: { phase: 'complete' } } })).toEqual([300, 500])
  })
})
