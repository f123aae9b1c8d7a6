import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { query } from '../database/tx.ts'
import { MARKS } from './internal-events.ts'
import { type BrainBench, message, openBench } from './testing/brain-bench.ts'
import { crashAt } from './testing/crashing-store.ts'
import { calls, hangs, type ScriptedAnswer, says, scriptModel } from './testing/scripted-model.ts'

const PATIENCE_MS = 20_000

let bench: BrainBench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

const statusOf = async (id: string) => (await bench.session(id)).summary.status
const stopOf = async (id: string) => (await bench.session(id)).summary.stopReason

/** A model that hangs and reports when it was asked. */
const hanging = () => {
  const asked = Promise.withResolvers<void>()
  const answer: ScriptedAnswer = (request, options) => {
    asked.resolve()
    return hangs(request, options)
  }
  return { answer, asked: asked.promise }
}

describe('a pool of sessions', () => {
  test('runs announced and existing sessions, up to the limit', async () => {
    const ids = ['sesn_1', 'sesn_2', 'sesn_3']
    for (const id of ids) await bench.addSession(id)
    await bench.send('sesn_1', message('one'))
    const most: number[] = []
    const brain = bench.brain(
      {
        provider: 'scripted',
        account: 'scripted',
        free: true,
        ask: async (request, options) => {
          most.push(brain.active().length)
          return says('ok')(request, options)
        },
      },
      undefined,
      { sessions: 2 },
    )
    brain.start()
    await bench.send('sesn_2', message('two'))
    await bench.send('sesn_3', message('three'))
    await vi.waitFor(async () => {
      bench.pass(20)
      for (const id of ids) expect(await stopOf(id)).toEqual({ type: 'end_turn' })
    }, PATIENCE_MS)
    expect(Math.max(...most)).toBeLessThanOrEqual(2)
    await brain.close('drain')
    expect(bench.reported).toEqual([])
  })

  test('finds sessions whose retry is due at the next look', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('one'))
    const overloaded: ScriptedAnswer = () => {
      throw Object.assign(new Error('busy'), {})
    }
    const brain = bench.brain(scriptModel([overloaded, says('ok')]), undefined, { pollMs: 100 })
    brain.start()
    await expect.poll(() => statusOf('sesn_1')).toBe('rescheduling')
    await vi.waitFor(async () => {
      bench.pass(1000)
      expect(await stopOf('sesn_1')).toEqual({ type: 'end_turn' })
    }, PATIENCE_MS)
    await brain.close('drain')
    // An error from a port that is not a model failure is reported to the operator.
    expect(bench.reported.map(({ code }) => code)).toEqual(['internal'])
  })

  test('closing drops work in flight, and another brain continues immediately', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('one'))
    const { answer, asked } = hanging()
    const first = bench.brain(scriptModel([answer]))
    const work = first.wake('sesn_1')
    await asked
    await first.close('abandon')
    expect(await work).toBe('stopped')
    expect(await bench.brain(scriptModel([says('ok')])).wake('sesn_1')).toBe('rests')
    expect(await stopOf('sesn_1')).toEqual({ type: 'end_turn' })
  })

  test('draining ends after the current step', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('one'))
    const brain = bench.brain(
      scriptModel([
        (request, options) => {
          closed = brain.close('drain')
          return calls({ id: 't1', name: 'bash' })(request, options)
        },
      ]),
    )
    let closed: Promise<void> | undefined
    expect(await brain.wake('sesn_1')).toBe('stopped')
    await closed
    expect((await bench.log('sesn_1')).at(-1)?.type).toBe('span.model_request_end')
  })
})

describe('a lease', () => {
  test('is renewed while its brain works, and losing it ends all work immediately', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('one'))
    const { answer, asked } = hanging()
    const brain = bench.brain(scriptModel([answer]), undefined, { leaseMs: 900 })
    const work = brain.wake('sesn_1')
    await asked
    for (let times = 0; times < 5; times += 1) {
      bench.pass(300)
      // Writes are ordered, so the renewal is on disk when a later write is.
      await bench.database.write(() => query('SELECT 1'))
      expect(await bench.brain(scriptModel([])).wake('sesn_1')).toBe('taken')
    }
    await bench.database.write(() =>
      query('UPDATE sessions SET lease_epoch = lease_epoch + 1 WHERE id = $1', 'sesn_1'),
    )
    const before = (await bench.log('sesn_1')).length
    bench.pass(300)
    expect(await work).toBe('taken')
    expect(await bench.log('sesn_1')).toHaveLength(before)
  })
})

describe('after a crash', () => {
  test('time without a brain is not billed', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('one'))
    const model = scriptModel([says('ok'), says('ok')])
    const { store } = crashAt(bench.database, { write: 3, when: 'before' })
    await bench
      .brain(model, undefined, { leaseMs: 1000 }, store)
      .wake('sesn_1')
      .catch(() => 'dead')
    bench.nowMs += 3_600_000
    await bench.brain(model, undefined, { leaseMs: 1000 }).wake('sesn_1')
    const { summary } = await bench.session('sesn_1')
    expect(summary.activeMs).toBe(0)
    const mark = (await bench.log('sesn_1')).find(({ type }) => type === MARKS.resumed)
    expect(mark).toMatchObject({ listed: false, body: { dead_ms: 3_600_000 } })
  })

  test.each([
    ['bash', 1, true],
    ['read', 2, false],
  ])('%s that was cut off is run %i times in all', async (name, times, fails) => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('one'))
    const model = scriptModel([calls({ id: 't1', name }), says('ok')])
    let ran = 0
    const runs = async () => {
      ran += 1
      return { content: [{ type: 'text' as const, text: 'ran' }], isError: false }
    }
    // Claim, request, answer, the mark of a call with side effects, then the result.
    const write = name === 'bash' ? 5 : 4
    const { store } = crashAt(bench.database, { write, when: 'before' })
    await bench
      .brain(model, runs, { leaseMs: 1000 }, store)
      .wake('sesn_1')
      .catch(() => 'dead')
    expect(ran).toBe(1)
    bench.nowMs += 2000
    await bench.brain(model, runs).wake('sesn_1')
    expect(ran).toBe(times)
    const result = (await bench.log('sesn_1')).find(({ type }) => type === 'agent.tool_result')
    expect(result?.body.is_error).toBe(fails)
    expect(JSON.stringify(result?.body.content).includes('may have had effects')).toBe(fails)
  })
})
