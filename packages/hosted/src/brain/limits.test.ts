import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { StoredEvent } from '../database/stored-event.ts'
import { findDueSessions } from '../log/lease.ts'
import { ModelFailure } from './models/model-failure.ts'
import { type BrainBench, message, openBench } from './testing/brain-bench.ts'
import {
  calls,
  failsWith,
  hangs,
  type ScriptedAnswer,
  says,
  scriptModel,
} from './testing/scripted-model.ts'

let bench: BrainBench
beforeEach(() => {
  bench = openBench()
})
afterEach(async () => {
  expect(bench.reported).toEqual([])
  await bench.close()
})

const listed = (log: readonly StoredEvent[]): string[] =>
  log.filter((event) => event.listed).map(({ type }) => type)
const lastStop = (log: readonly StoredEvent[]): unknown =>
  log.findLast(({ type }) => type === 'session.status_idle')?.body.stop_reason

describe('a model that fails', () => {
  test('is retried when the vendor says, also by another brain', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const failure = new ModelFailure('overloaded', 'too much to do', { retryAfterMs: 7000 })
    const model = scriptModel([failsWith(failure), says('done')])
    expect(await bench.brain(model).wake('sesn_1')).toBe('waits')
    expect((await bench.session('sesn_1')).summary.status).toBe('rescheduling')
    bench.pass(6999)
    expect(await bench.brain(model).wake('sesn_1')).toBe('waits')
    bench.pass(1)
    expect(await bench.brain(model).wake('sesn_1')).toBe('rests')
    const log = await bench.log('sesn_1')
    expect(listed(log)).toEqual([
      'user.message',
      'session.status_running',
      'span.model_request_start',
      'span.model_request_end',
      'session.error',
      'session.status_rescheduled',
      'session.status_running',
      'span.model_request_start',
      'agent.message',
      'span.model_request_end',
      'session.status_idle',
    ])
    expect(log.find(({ type }) => type === 'session.error')?.body.error).toEqual({
      type: 'model_overloaded_error',
      message: 'too much to do',
      retry_status: { type: 'retrying' },
    })
    // Waiting time is not billed.
    expect((await bench.session('sesn_1')).summary.activeMs).toBe(0)
  })

  test('is retried within an hour, whatever the vendor asks for and the clock does', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const failure = new ModelFailure('overloaded', 'come next week', {
      retryAfterMs: 7 * 86_400_000,
    })
    const model = scriptModel([failsWith(failure), failsWith(failure), says('done')])
    expect(await bench.brain(model).wake('sesn_1')).toBe('waits')
    bench.pass(3_599_999)
    expect(await bench.brain(model).wake('sesn_1')).toBe('waits')
    bench.pass(1)
    expect(await bench.brain(model).wake('sesn_1')).toBe('waits')
    expect(model.asked).toHaveLength(2)
    bench.nowMs -= 86_400_000
    expect(await bench.brain(model).wake('sesn_1')).toBe('rests')
    expect(model.asked).toHaveLength(3)
  })

  test('is waited for through an outage of six hours, and every session goes on as soon as it is back', async () => {
    const ids = ['sesn_1', 'sesn_2', 'sesn_3']
    for (const id of ids) {
      await bench.addSession(id)
      await bench.send(id, message('go'))
    }
    const backMs = bench.nowMs + 6 * 3_600_000
    const model = scriptModel(
      Array.from({ length: 5000 }, () => (...given: Parameters<ReturnType<typeof says>>) => {
        if (bench.nowMs < backMs) throw new ModelFailure('failed', 'no connection to the model')
        return says('done')(...given)
      }),
    )
    const brain = bench.brain(model)
    brain.start()
    const statuses = () =>
      Promise.all(ids.map(async (id) => (await bench.session(id)).summary.status))
    const allWait = () =>
      vi.waitFor(
        async () => {
          expect(await bench.database.read(() => findDueSessions(bench.nowMs, 10))).toEqual([])
          expect(brain.active()).toEqual([])
          expect(await statuses()).toEqual(ids.map(() => 'rescheduling'))
        },
        { timeout: 10_000, interval: 10 },
      )
    const minutes = 10
    for (let passed = 0; passed < 6 * 60; passed += minutes) {
      await allWait()
      bench.pass(passed + minutes < 6 * 60 ? minutes * 60_000 : minutes * 60_000 - 1000)
    }
    await allWait()
    bench.pass(130_000)
    await vi.waitFor(
      async () => {
        bench.pass(1000)
        expect(await statuses()).toEqual(ids.map(() => 'idle'))
      },
      { timeout: 10_000 },
    )
    await brain.close('drain')
    expect(bench.nowMs - backMs).toBeLessThan(10 * 60_000)
    for (const id of ids) {
      const log = await bench.log(id)
      expect(lastStop(log)).toEqual({ type: 'end_turn' })
      expect(log.filter(({ type }) => type === 'agent.message')).toHaveLength(1)
    }
    expect(model.asked.length).toBeGreaterThan(ids.length * 30)
  })

  test('keeps all sessions from asking until the time that it told one of them', async () => {
    for (const id of ['sesn_1', 'sesn_2']) {
      await bench.addSession(id)
      await bench.send(id, message('go'))
    }
    const failure = new ModelFailure('rate_limited', 'slow down', { retryAfterMs: 30_000 })
    const model = scriptModel([failsWith(failure), says('one'), says('two')])
    const brain = bench.brain(model)
    expect(await brain.wake('sesn_1')).toBe('waits')
    expect(await brain.wake('sesn_2')).toBe('waits')
    expect(model.asked).toHaveLength(1)
    bench.pass(30_000)
    expect(await brain.wake('sesn_2')).toBe('rests')
    expect(await brain.wake('sesn_1')).toBe('rests')
  })

  test('also pauses the brains of other servers with the same account', async () => {
    for (const id of ['sesn_1', 'sesn_2', 'sesn_3']) {
      await bench.addSession(id)
      await bench.send(id, message('go'))
    }
    const failure = new ModelFailure('rate_limited', 'slow down', { retryAfterMs: 30_000 })
    const limited = scriptModel([failsWith(failure)])
    const waiting = scriptModel([says('two')])
    const other = { ...scriptModel([says('three')]), account: 'another' }
    const second = bench.brain(waiting)
    expect(await bench.brain(limited).wake('sesn_1')).toBe('waits')
    expect(await second.wake('sesn_2')).toBe('waits')
    bench.pass(29_999)
    expect(await second.wake('sesn_2')).toBe('waits')
    expect(waiting.asked).toHaveLength(0)
    expect(await bench.brain(other).wake('sesn_3')).toBe('rests')
    bench.pass(1)
    expect(await second.wake('sesn_2')).toBe('rests')
    expect(waiting.asked).toHaveLength(1)
  })

  test('costs what it reported, or an estimate with that label, also without an answer', async () => {
    const usage = { input: 1000, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
    const begins: ScriptedAnswer = (_, { onUsage, onDelta }) => {
      onUsage?.(usage)
      onDelta({ type: 'text', index: 0, text: 'x'.repeat(400) })
      throw new ModelFailure('failed', 'cut off')
    }
    const ends = async (id: string) =>
      (await bench.log(id)).filter(({ type }) => type === 'span.model_request_end')
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    await bench.brain(scriptModel([begins])).wake('sesn_1')
    expect((await ends('sesn_1'))[0]?.body).toMatchObject({
      is_error: true,
      model_usage: { input_tokens: 1000, output_tokens: 100 },
    })
    const { summary } = await bench.session('sesn_1')
    expect(summary).toMatchObject({ inputTokens: 1000, outputTokens: 100, estimated: true })
    expect(summary.tokenNanoDollars).toBeGreaterThan(0)

    await bench.addSession('sesn_2')
    await bench.send('sesn_2', message('go'))
    const dying = bench.brain(scriptModel([hangs]))
    const died = dying.wake('sesn_2')
    await vi.waitFor(async () =>
      expect(listed(await bench.log('sesn_2'))).toContain('span.model_request_start'),
    )
    await dying.close('abandon')
    await died
    await bench.brain(scriptModel([says('done')])).wake('sesn_2')
    expect((await ends('sesn_2'))[0]?.body).toMatchObject({ is_error: true })
    const estimated = (await ends('sesn_2'))[0]?.body.model_usage
    expect(estimated).toMatchObject({ input_tokens: expect.any(Number), output_tokens: 0 })
    const { summary: second } = await bench.session('sesn_2')
    expect(second.inputTokens).toBeGreaterThan(100)
    expect(second.estimated).toBe(true)
  })

  test('is abandoned after a while with the waiting input; the next message starts a new turn', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const failure = new ModelFailure('failed', 'broken')
    const model = scriptModel([
      failsWith(failure),
      failsWith(failure),
      failsWith(failure),
      says('hi'),
    ])
    const brain = bench.brain(model, undefined, { limits: { outageMs: 2500 } })
    expect(await brain.wake('sesn_1')).toBe('waits')
    bench.pass(1000)
    expect(await brain.wake('sesn_1')).toBe('waits')
    bench.pass(1000)
    expect(await brain.wake('sesn_1')).toBe('waits')
    bench.pass(1000)
    expect(await brain.wake('sesn_1')).toBe('rests')
    expect(lastStop(await bench.log('sesn_1'))).toEqual({ type: 'retries_exhausted' })
    await bench.send('sesn_1', message('again'))
    expect(await brain.wake('sesn_1')).toBe('rests')
    expect(lastStop(await bench.log('sesn_1'))).toEqual({ type: 'end_turn' })
  })

  test('that rejects an image gets the words without it, and the session goes on', async () => {
    await bench.addSession('sesn_1')
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AA==' },
    }
    const content = [{ type: 'text', text: 'look' }, image]
    await bench.send('sesn_1', { type: 'user.message', body: { content }, queued: true })
    const rejected = failsWith(new ModelFailure('rejected', 'could not process image'))
    const model = scriptModel([rejected, says('I cannot see it.'), says('fine')])
    const brain = bench.brain(model)
    expect(await brain.wake('sesn_1')).toBe('rests')
    const log = await bench.log('sesn_1')
    expect(lastStop(log)).toEqual({ type: 'end_turn' })
    expect(log.find(({ type }) => type === 'session.error')?.body.error).toMatchObject({
      message: 'could not process image',
      retry_status: { type: 'retrying' },
    })
    await bench.send('sesn_1', message('go on'))
    expect(await brain.wake('sesn_1')).toBe('rests')
    for (const request of model.asked.slice(1)) {
      expect(JSON.stringify(request.messages)).not.toContain('base64')
      expect(JSON.stringify(request.messages[0])).toContain('image left out')
    }
  })

  test('is not retried when it rejects the request', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const model = scriptModel([failsWith(new ModelFailure('rejected', 'no such model'))])
    expect(await bench.brain(model).wake('sesn_1')).toBe('rests')
    const log = await bench.log('sesn_1')
    expect(log.find(({ type }) => type === 'session.error')?.body.error).toMatchObject({
      type: 'model_request_failed_error',
      retry_status: { type: 'exhausted' },
    })
  })
})

describe('limits', () => {
  test('a budget stops the turn before the next request, and a higher one continues it', async () => {
    const budget = (amount: string) => ({
      type: 'limit' as const,
      max_list_cost: { amount, currency: 'USD' as const },
    })
    await bench.addSession('sesn_1', { budget: budget('1') })
    await bench.send('sesn_1', message('go'))
    const usage = { input: 10_000, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 }
    const model = scriptModel([calls({ id: 't1', name: 'bash' }, { usage }), says('done')])
    const brain = bench.brain(model)
    await brain.wake('sesn_1')
    const log = await bench.log('sesn_1')
    expect(listed(log).slice(-2)).toEqual(['session.usage', 'session.status_idle'])
    expect(lastStop(log)).toEqual({ type: 'budget_reached' })
    expect(log.find(({ type }) => type === 'session.usage')?.body.usage).toMatchObject({
      input_tokens: 10_000,
      list_cost: { amount: '2', currency: 'USD' },
    })
    expect(await brain.wake('sesn_1')).toBe('rests')
    expect(model.asked).toHaveLength(1)
    const { body } = await bench.session('sesn_1')
    await bench.setBody('sesn_1', { ...body, budget: budget('100') })
    await brain.wake('sesn_1')
    expect(lastStop(await bench.log('sesn_1'))).toEqual({ type: 'end_turn' })
  })

  test('limits the tool calls per turn', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const again = calls({ id: 't1', name: 'read' })
    const brain = bench.brain(scriptModel([again, again, again]), undefined, {
      limits: { toolUses: 2 },
    })
    await brain.wake('sesn_1')
    const log = await bench.log('sesn_1')
    expect(log.find(({ type }) => type === 'session.error')?.body.error).toMatchObject({
      type: 'tool_use_limit_reached_error',
    })
    expect(lastStop(log)).toEqual({ type: 'retries_exhausted' })
  })

  test('compacts a conversation that fills the window', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('remember the number 7'))
    const model = scriptModel([
      says('I will', {
        usage: { input: 900, output: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
      }),
      says('The number is 7.'),
      says('It was 7'),
    ])
    const brain = bench.brain(model, undefined, { limits: { contextTokens: 1000 } })
    await brain.wake('sesn_1')
    await bench.send('sesn_1', message('which number?'))
    await brain.wake('sesn_1')
    expect(listed(await bench.log('sesn_1')).slice(6)).toEqual([
      'user.message',
      'session.status_running',
      'span.model_request_start',
      'span.model_request_end',
      'agent.thread_context_compacted',
      'span.model_request_start',
      'agent.message',
      'span.model_request_end',
      'session.status_idle',
    ])
    expect(JSON.stringify(model.asked[1]?.messages)).toContain('remember the number 7')
    expect(model.asked[2]?.messages.map(({ content }) => content.map(({ text }) => text))).toEqual([
      [expect.stringContaining('The number is 7.')],
      ['which number?'],
    ])
  })

  test('handles a refusal, a cut-off answer and a pause', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const model = scriptModel([
      says('half', { stop: 'max_tokens' }),
      says('paused', { stop: 'pause_turn' }),
      says('', { stop: 'refusal', content: [], refusal: { category: 'bio', explanation: 'no' } }),
    ])
    await bench.brain(model).wake('sesn_1')
    const idle = (await bench.log('sesn_1')).at(-1)
    expect(idle?.body).toEqual({
      stop_reason: { type: 'refusal' },
      stop_details: { type: 'refusal', category: 'bio', explanation: 'no' },
    })
    expect(model.asked.map(({ messages }) => messages.at(-1)?.role)).toEqual([
      'user',
      'user',
      'assistant',
    ])
  })
})

describe('an outcome', () => {
  const outcome = (max_iterations: number) => ({
    type: 'user.define_outcome',
    body: {
      outcome_id: 'outc_1',
      description: 'a poem',
      rubric: { type: 'text', content: 'it rhymes' },
      max_iterations,
    },
  })
  const verdict = (satisfied: boolean) => says(JSON.stringify({ satisfied, explanation: 'look' }))
  const results = async () =>
    (await bench.log('sesn_1'))
      .filter(({ type }) => type === 'span.outcome_evaluation_end')
      .map(({ body }) => [body.iteration, body.result])

  test('is worked on until the judge is satisfied', async () => {
    await bench.addSession('sesn_1', {
      outcome_evaluations: [
        {
          type: 'outcome_evaluation',
          outcome_id: 'outc_1',
          description: 'a poem',
          result: 'pending',
          explanation: null,
          iteration: 0,
          completed_at: null,
        },
      ],
    })
    await bench.send('sesn_1', outcome(3))
    const model = scriptModel([says('one'), verdict(false), says('two'), verdict(true)])
    await bench.brain(model).wake('sesn_1')
    expect(await results()).toEqual([
      [0, 'needs_revision'],
      [1, 'satisfied'],
    ])
    expect(lastStop(await bench.log('sesn_1'))).toEqual({ type: 'end_turn' })
    expect(JSON.stringify(model.asked[2]?.messages.at(-1))).toContain('look')
    expect((await bench.session('sesn_1')).body.outcome_evaluations).toMatchObject([
      { result: 'satisfied', iteration: 1, explanation: 'look', completed_at: expect.any(String) },
    ])
  })

  test('ends after the maximum number of attempts, or when no verdict can be read', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', outcome(1))
    await bench.brain(scriptModel([says('one'), verdict(false)])).wake('sesn_1')
    expect(await results()).toEqual([[0, 'max_iterations_reached']])
  })
})
