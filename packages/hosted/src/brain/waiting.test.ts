import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { StoredEvent } from '../database/stored-event.ts'
import {
  AGENT,
  type BrainBench,
  CUSTOM_TOOL,
  message,
  openBench,
  toolsetWith,
} from './testing/brain-bench.ts'
import { calls, hangs, says, scriptModel } from './testing/scripted-model.ts'

let bench: BrainBench
beforeEach(() => {
  bench = openBench()
})
afterEach(async () => {
  expect(bench.reported).toEqual([])
  await bench.close()
})

const find = (log: readonly StoredEvent[], type: string): StoredEvent[] =>
  log.filter((event) => event.type === type)
const idOf = (log: readonly StoredEvent[], callId: string): string =>
  log.find(({ hidden }) => hidden?.callId === callId)?.id ?? 'none'
const lastStop = (log: readonly StoredEvent[]): unknown =>
  find(log, 'session.status_idle').at(-1)?.body.stop_reason
const confirm = (tool_use_id: string, result: 'allow' | 'deny', deny_message?: string) => ({
  type: 'user.tool_confirmation',
  body: { tool_use_id, result, ...(deny_message ? { deny_message } : {}) },
  queued: true,
})

describe('a call that needs the client', () => {
  test('waits; after partial answers the rest is listed', async () => {
    const tools = [toolsetWith('always_ask', 'bash'), CUSTOM_TOOL]
    await bench.addSession('sesn_1', { agent: { ...AGENT, tools } })
    await bench.send('sesn_1', message('go'))
    const model = scriptModel([
      calls(
        { id: 't1', name: 'bash', input: { command: 'ls' } },
        { id: 't2', name: 'ask_colleague' },
        { id: 't3', name: 'read', input: { file_path: 'a' } },
        { id: 't4', name: 'bash', input: { command: 'pwd' } },
      ),
      says('done'),
    ])
    const brain = bench.brain(model)
    await brain.wake('sesn_1')
    let log = await bench.log('sesn_1')
    const [bash, custom, read, other] = ['t1', 't2', 't3', 't4'].map((id) => idOf(log, id))
    // The call that needs no confirmation has run.
    expect(find(log, 'agent.tool_result').map(({ body }) => body.tool_use_id)).toEqual([read])
    expect(lastStop(log)).toEqual({ type: 'requires_action', event_ids: [bash, custom, other] })

    await bench.send('sesn_1', confirm(bash ?? '', 'allow'))
    await brain.wake('sesn_1')
    log = await bench.log('sesn_1')
    expect(lastStop(log)).toEqual({ type: 'requires_action', event_ids: [custom, other] })
    expect(find(log, 'user.tool_confirmation')[0]?.processedMs).not.toBeNull()
    // The allowed call waits for the others.
    expect(find(log, 'agent.tool_result')).toHaveLength(1)
    expect(find(log, 'session.status_running')).toHaveLength(1)
    expect(model.asked).toHaveLength(1)

    await bench.send('sesn_1', confirm(other ?? '', 'deny', 'not there'), message('and be quick'), {
      type: 'user.custom_tool_result',
      body: { custom_tool_use_id: custom, content: [{ type: 'text', text: 'yes' }] },
    })
    await brain.wake('sesn_1')
    log = await bench.log('sesn_1')
    expect(lastStop(log)).toEqual({ type: 'end_turn' })
    expect(model.asked[1]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'bash ran' }] },
        { type: 'tool_result', tool_use_id: 't2', content: [{ type: 'text', text: 'yes' }] },
        { type: 'tool_result', tool_use_id: 't3', content: [{ type: 'text', text: 'read ran' }] },
        {
          type: 'tool_result',
          tool_use_id: 't4',
          content: [{ type: 'text', text: 'not there' }],
          is_error: true,
        },
        { type: 'text', text: 'and be quick' },
      ],
    })
  })

  test('in a self-hosted environment belongs to its worker, except for web tools', async () => {
    await bench.addSession('sesn_1', { environment: { type: 'self_hosted' } })
    await bench.send('sesn_1', message('go'))
    const model = scriptModel([
      calls({ id: 't1', name: 'bash' }, { id: 't2', name: 'web_search', input: { query: 'x' } }),
      says('done'),
    ])
    const brain = bench.brain(model)
    await brain.wake('sesn_1')
    let log = await bench.log('sesn_1')
    expect(lastStop(log)).toEqual({ type: 'requires_action', event_ids: [idOf(log, 't1')] })
    expect(find(log, 'agent.tool_result')).toHaveLength(1)
    await bench.send('sesn_1', {
      type: 'user.tool_result',
      body: { tool_use_id: idOf(log, 't1'), content: [{ type: 'text', text: 'here' }] },
    })
    await brain.wake('sesn_1')
    log = await bench.log('sesn_1')
    expect(lastStop(log)).toEqual({ type: 'end_turn' })
    expect((await bench.session('sesn_1')).summary.webSearches).toBe(1)
  })

  test('is refused if auto considers it dangerous or the tool does not exist', async () => {
    const tools = [toolsetWith('auto', 'bash', 'write')]
    await bench.addSession('sesn_1', { agent: { ...AGENT, tools } })
    await bench.send('sesn_1', message('go'))
    const model = scriptModel([
      calls(
        { id: 't1', name: 'bash', input: { command: 'rm -rf /' } },
        { id: 't2', name: 'teleport' },
        { id: 't3', name: 'write', input: { file_path: 'a.txt', content: 'x' } },
        { id: 't4', name: 'bash', input: { command: 'make | tee log' } },
      ),
      says('done'),
    ])
    await bench.brain(model).wake('sesn_1')
    const log = await bench.log('sesn_1')
    expect(find(log, 'agent.tool_use').map(({ body }) => body.evaluated_permission)).toEqual([
      'deny',
      'deny',
      'allow',
      'ask',
    ])
    expect(find(log, 'agent.tool_use')[0]?.body.evaluation).toEqual({
      type: 'auto',
      evaluated_permission: { type: 'deny', reason_code: 'high_risk' },
    })
    expect(find(log, 'agent.tool_use')[1]?.body.evaluation).toBeUndefined()
    expect(find(log, 'agent.tool_result').map(({ body }) => body.is_error)).toEqual([
      true,
      true,
      false,
    ])
    expect(lastStop(log)).toEqual({ type: 'requires_action', event_ids: [idOf(log, 't4')] })
  })
})

describe('an interrupt', () => {
  const INTERRUPT = { type: 'user.interrupt', queued: true }

  test('aborts the model and ends the turn; queued messages come next', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const asked = Promise.withResolvers<void>()
    const model = scriptModel([
      (request, options) => {
        asked.resolve()
        return hangs(request, options)
      },
      says('other'),
    ])
    const work = bench.brain(model).wake('sesn_1')
    await asked.promise
    await bench.send('sesn_1', INTERRUPT, message('something else'))
    await work
    const log = await bench.log('sesn_1')
    expect(log.filter(({ listed }) => listed).map(({ type }) => type)).toEqual([
      'user.message',
      'session.status_running',
      'span.model_request_start',
      'user.interrupt',
      'user.message',
      'span.model_request_end',
      'session.status_idle',
      'session.status_running',
      'span.model_request_start',
      'agent.message',
      'span.model_request_end',
      'session.status_idle',
    ])
    expect(log.every(({ processedMs }) => processedMs !== null)).toBe(true)
    expect(model.asked[1]?.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'go' },
          { type: 'text', text: 'something else' },
        ],
      },
    ])
  })

  test('settles running and waiting calls', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('go'))
    const model = scriptModel([
      calls({ id: 't1', name: 'ask_colleague' }, { id: 't2', name: 'bash' }),
      says('ok'),
    ])
    const started = Promise.withResolvers<void>()
    const brain = bench.brain(model, (_, signal) => {
      started.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    })
    const work = brain.wake('sesn_1')
    await started.promise
    await bench.send('sesn_1', INTERRUPT)
    await work
    expect(lastStop(await bench.log('sesn_1'))).toEqual({ type: 'end_turn' })
    await bench.send('sesn_1', message('again'))
    await brain.wake('sesn_1')
    const results = model.asked[1]?.messages
      .at(-1)
      ?.content.map(({ type, is_error }) => [type, is_error])
    expect(results).toEqual([
      ['tool_result', true],
      ['tool_result', true],
      ['text', undefined],
    ])
  })

  test('does nothing when the session is idle', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', INTERRUPT)
    expect(await bench.brain(scriptModel([])).wake('sesn_1')).toBe('rests')
    const log = await bench.log('sesn_1')
    expect(log.map(({ type }) => type)).toEqual(['user.interrupt'])
    expect(log[0]?.processedMs).not.toBeNull()
  })
})
