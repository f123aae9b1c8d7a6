import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { StoredEvent } from '../database/stored-event.ts'
import { foldIn } from './fold-log.ts'
import { emptyView } from './log-view.ts'
import {
  AGENT,
  type BrainBench,
  CUSTOM_TOOL,
  openBench,
  toolsetWith,
  writesApart,
} from './testing/brain-bench.ts'
import type { Crash } from './testing/crashing-store.ts'
import { type Played, play, type Script } from './testing/play.ts'

let bench: BrainBench
beforeAll(() => {
  bench = openBench()
})
afterAll(() => bench.close())

const BODY = { agent: { ...AGENT, tools: [toolsetWith('always_ask', 'write'), CUSTOM_TOOL] } }

const script: fc.Arbitrary<Script> = fc.record({
  lines: fc.array(
    fc.record({
      calls: fc.array(fc.constantFrom('bash', 'read', 'write', 'ask_colleague', 'teleport'), {
        maxLength: 3,
      }),
      failures: fc.constantFrom(0, 0, 0, 1, 2, 4),
      meanwhile: fc.constantFrom('nothing', 'nothing', 'message', 'interrupt'),
    }),
    { maxLength: 3 },
  ),
  messages: fc.integer({ min: 1, max: 2 }),
  oneByOne: fc.boolean(),
  denies: fc.boolean(),
})

/**
 * Always covered: calls of every kind, a failure, and a message and an interrupt during a model
 * request.
 */
const EVERYTHING: Script = {
  lines: [
    { calls: ['bash', 'ask_colleague', 'write'], failures: 0, meanwhile: 'message' },
    { calls: ['read', 'teleport'], failures: 1, meanwhile: 'nothing' },
    { calls: [], failures: 0, meanwhile: 'message' },
    { calls: [], failures: 0, meanwhile: 'interrupt' },
  ],
  messages: 2,
  oneByOne: true,
  denies: false,
}

let runs = 0
const run = (given: Script, crashes: readonly Crash[]): Promise<Played> => {
  runs += 1
  return play(bench, `sesn_${runs}`, given, BODY, crashes)
}

/**
 * The log without internal marks, with a request that died and its retry merged, so that it is
 * comparable across crashes.
 */
const essence = (log: readonly StoredEvent[]): unknown[] => {
  const dropped = new Set<string>()
  log.forEach((event, index) => {
    if (event.hidden?.cause !== 'died') return
    const again = log.slice(index).find(({ type }) => type === 'span.model_request_start')
    dropped.add(event.id).add(again?.id ?? '')
  })
  const calls = new Map(log.map(({ id, hidden }) => [id, hidden?.callId]))
  const name = (id: unknown): unknown => calls.get(z.string().parse(id))
  return log
    .filter(({ listed, id }) => listed && !dropped.has(id))
    .map(({ type, body, processedMs }) => ({
      type,
      taken: processedMs !== null,
      ...(body.content === undefined || type === 'agent.tool_result'
        ? {}
        : { content: body.content }),
      ...(body.tool_use_id === undefined ? {} : { call: name(body.tool_use_id) }),
      ...(body.custom_tool_use_id === undefined ? {} : { call: name(body.custom_tool_use_id) }),
      ...(type === 'session.status_idle' ? { stop: stopOf(body.stop_reason, name) } : {}),
      ...(type === 'session.error' ? { error: body.error } : {}),
      ...(body.evaluated_permission === undefined ? {} : { permission: body.evaluated_permission }),
    }))
}

const reason = z.object({ type: z.string(), event_ids: z.array(z.string()).optional() })
const stopOf = (given: unknown, name: (id: unknown) => unknown): unknown => {
  const { type, event_ids } = reason.parse(given)
  return [type, event_ids?.map(name)]
}

/** Invariants of every log. */
const checkLog = ({ log, answered, ran }: Played): void => {
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  expect(new Set(log.map(({ id }) => id)).size).toBe(log.length)
  expect(log.filter(({ processedMs }) => processedMs === null)).toEqual([])

  const starts = log.filter(({ type }) => type === 'span.model_request_start')
  const ends = log.filter(({ type }) => type === 'span.model_request_end')
  expect(ends.map(({ body }) => body.model_request_start_id)).toEqual(starts.map(({ id }) => id))
  // An answer that is in the log was never requested again.
  const inLog = ends.filter(({ body }) => body.is_error === false).length
  expect([...answered.keys()].toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: inLog }, (_, index) => index),
  )

  let status = 'idle'
  log.forEach((event, index) => {
    if (event.type === 'session.status_running') expect(status).not.toBe('running')
    if (event.type === 'session.status_rescheduled') expect(status).toBe('running')
    if (event.type.startsWith('span.')) expect(status).toBe('running')
    if (event.type.startsWith('session.status_'))
      status = event.type.slice('session.status_'.length)
    if (event.type === 'session.status_idle') checkIdle(event, log.slice(0, index + 1))
  })
  expect(status).toBe('idle')

  for (const use of log.filter(({ type }) => type === 'agent.tool_use')) {
    const results = log.filter(
      ({ type, body }) => type === 'agent.tool_result' && body.tool_use_id === use.id,
    )
    expect(results).toHaveLength(1)
    if (use.body.name !== 'read') expect(ran.get(use.id) ?? 0).toBeLessThanOrEqual(1)
  }
}

/** Lists exactly the calls that only the client can answer. */
const checkIdle = ({ body }: StoredEvent, log: readonly StoredEvent[]): void => {
  const { type, event_ids } = reason.parse(body.stop_reason)
  const view = emptyView()
  for (const event of log) foldIn(view, event)
  const open = view.uses.filter(({ result }) => result === null)
  const pending = open.filter(
    (use) => use.kind === 'custom' || (use.permission === 'ask' && use.confirmed === null),
  )
  expect(event_ids ?? []).toEqual(pending.map(({ id }) => id))
  expect(type === 'requires_action').toBe(pending.length > 0)
}

describe('a brain that dies', () => {
  test('at any write leaves a log from which another brain reaches the same end', async () => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const whole = await run(given, [])
        checkLog(whole)
        const expected = essence(whole.log)
        for (let write = 1; write <= whole.writes; write += writesApart(bench))
          for (const when of ['before', 'after'] as const) {
            const broken = await run(given, [{ write, when }])
            checkLog(broken)
            expect(essence(broken.log)).toEqual(expected)
          }
      }),
      { numRuns: 1, examples: [[EVERYTHING]] },
    )
  }, 120_000)

  test('repeatedly still reaches the end', async () => {
    const crash = fc.record({
      write: fc.integer({ min: 1, max: 6 }),
      when: fc.constantFrom('before' as const, 'after' as const),
    })
    await fc.assert(
      fc.asyncProperty(script, fc.array(crash, { maxLength: 8 }), async (given, crashes) => {
        const expected = essence((await run(given, [])).log)
        const broken = await run(given, crashes)
        checkLog(broken)
        expect(essence(broken.log)).toEqual(expected)
      }),
      { numRuns: 15 / writesApart(bench) },
    )
  }, 120_000)
})
