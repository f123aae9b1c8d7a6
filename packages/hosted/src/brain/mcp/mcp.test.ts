import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Model } from '../models/model.ts'
import { message, writesApart } from '../testing/brain-bench.ts'
import { crashAt } from '../testing/crashing-store.ts'
import { calls, says, scriptModel } from '../testing/scripted-model.ts'
import {
  confirm,
  find,
  lastStop,
  type McpBench,
  openMcpBench,
  withServer,
} from './testing/mcp-bench.ts'
import { type ServedMcp, serveMcp } from './testing/serve-mcp.ts'

let bench: McpBench
let served: ServedMcp
beforeEach(async () => {
  bench = openMcpBench()
  served = await serveMcp()
  bench.allow(served.host)
})
afterEach(async () => {
  await served.close()
  expect(bench.reported).toEqual([])
  await bench.close()
})

const NOTE = { id: 't1', name: 'mcp__notes__note', input: { text: 'milk' } }
const begin = async (body: ReturnType<typeof withServer>, id = 'sesn_1') => {
  await bench.addSession(id, body)
  await bench.send(id, message('go'))
}

describe('a tool of an MCP server', () => {
  test('needs confirmation unless its toolset says otherwise, and runs once allowed', async () => {
    await begin(withServer(served.url))
    const model = scriptModel([calls(NOTE), says('done')])
    const brain = bench.brain(model)
    expect(await brain.wake('sesn_1')).toBe('rests')
    expect(model.asked[0]?.tools.map(({ name }) => name)).toEqual([
      'mcp__notes__note',
      'mcp__notes__grep',
      'mcp__notes__read',
      'mcp__notes__whisper',
      'mcp__notes__hang',
    ])
    expect(model.asked[0]?.tools[0]).toMatchObject({
      description: 'Keeps a note.',
      inputSchema: { type: 'object', required: ['text'] },
    })
    const [use] = find(await bench.log('sesn_1'), 'agent.mcp_tool_use')
    expect(use?.body).toEqual({
      mcp_server_name: 'notes',
      name: 'note',
      input: { text: 'milk' },
      evaluated_permission: 'ask',
      evaluation: { type: 'always_ask' },
    })
    const id = use?.id ?? ''
    expect(lastStop(await bench.log('sesn_1'))).toEqual({
      type: 'requires_action',
      event_ids: [id],
    })
    expect([served.notes, served.ended]).toEqual([[], 1])

    await bench.send('sesn_1', confirm(id, 'allow'))
    await brain.wake('sesn_1')
    const log = await bench.log('sesn_1')
    expect(served.notes).toEqual(['milk'])
    expect(find(log, 'agent.mcp_tool_result').map(({ body }) => body)).toEqual([
      { mcp_tool_use_id: id, content: [{ type: 'text', text: 'kept milk' }], is_error: false },
    ])
    expect(model.asked[1]?.messages.at(-1)?.content).toEqual([
      { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'kept milk' }] },
    ])
    expect(lastStop(log)).toEqual({ type: 'end_turn' })
    expect(served.ended).toBe(2)
  })

  test('does not run when the client denies it', async () => {
    await begin(withServer(served.url))
    const brain = bench.brain(scriptModel([calls(NOTE), says('a pity')]))
    await brain.wake('sesn_1')
    const [use] = find(await bench.log('sesn_1'), 'agent.mcp_tool_use')
    await bench.send('sesn_1', confirm(use?.id ?? '', 'deny', 'no milk'))
    await brain.wake('sesn_1')
    const [result] = find(await bench.log('sesn_1'), 'agent.mcp_tool_result')
    expect(result?.body).toEqual({
      mcp_tool_use_id: use?.id,
      content: [{ type: 'text', text: 'no milk' }],
      is_error: true,
    })
    expect(served.notes).toEqual([])
  })

  test('is enabled and allowed according to its own configuration', async () => {
    const configs = [
      { name: 'note', enabled: true, policy: 'always_allow' as const },
      { name: 'hang', enabled: false },
    ]
    await begin(withServer(served.url, 'auto', configs))
    const model = scriptModel([
      calls(NOTE, { id: 't2', name: 'mcp__notes__hang' }, { id: 't3', name: 'mcp__notes__read' }),
    ])
    await bench.brain(model).wake('sesn_1')
    expect(model.asked[0]?.tools.map(({ name }) => name)).not.toContain('mcp__notes__hang')
    const log = await bench.log('sesn_1')
    const [note, read] = find(log, 'agent.mcp_tool_use')
    expect(note?.body).toMatchObject({ evaluated_permission: 'allow' })
    // Under `auto`, tools of an untrusted server always need confirmation, whatever their name.
    expect(read?.body).toMatchObject({ name: 'read', evaluated_permission: 'ask' })
    expect(served.notes).toEqual(['milk'])
    expect(find(log, 'agent.tool_result')[0]?.body.content).toEqual([
      { type: 'text', text: 'There is no tool named mcp__notes__hang.' },
    ])
    expect(lastStop(log)).toEqual({ type: 'requires_action', event_ids: [read?.id] })
  })

  test('fails as a tool error, and the connection stays usable', async () => {
    await begin(withServer(served.url, 'always_allow'))
    const model = scriptModel([
      calls(
        { id: 't1', name: 'mcp__notes__read' },
        { id: 't2', name: 'mcp__notes__note', input: { wrong: 1 } },
        { ...NOTE, id: 't3' },
      ),
      says('done'),
    ])
    await bench.brain(model).wake('sesn_1')
    const results = find(await bench.log('sesn_1'), 'agent.mcp_tool_result')
    expect(results.map(({ body }) => body.is_error)).toEqual([true, true, false])
    expect(JSON.stringify(results[0]?.body)).toContain('there is nothing to read')
    expect(served.ended).toBe(1)
  })

  test('ends with its turn at an interrupt', async () => {
    await begin(withServer(served.url, 'always_allow'))
    const brain = bench.brain(scriptModel([calls({ id: 't1', name: 'mcp__notes__hang' })]))
    const woken = brain.wake('sesn_1')
    await served.hung
    await bench.send('sesn_1', { type: 'user.interrupt', queued: true })
    expect(await woken).toBe('rests')
    const log = await bench.log('sesn_1')
    expect(find(log, 'agent.mcp_tool_result')[0]?.body).toMatchObject({ is_error: true })
    expect(lastStop(log)).toEqual({ type: 'end_turn' })
  })

  test('has a timeout', async () => {
    await begin(withServer(served.url, 'always_allow'))
    const brain = bench.brain(
      scriptModel([calls({ id: 't1', name: 'mcp__notes__hang' }), says('ok')]),
    )
    const woken = brain.wake('sesn_1')
    await served.hung
    bench.pass(120_000)
    expect(await woken).toBe('rests')
    const [result] = find(await bench.log('sesn_1'), 'agent.mcp_tool_result')
    expect(JSON.stringify(result?.body)).toContain('took longer than 120000 ms')
  })
})

describe('a brain that dies during a call of an MCP tool', () => {
  test('at any write leaves a log from which the call is never made twice', async () => {
    // Answers depend only on the input, so a crash does not change them.
    const model: Model = {
      provider: 'scripted',
      account: 'scripted',
      free: false,
      ask: async (request, options) => {
        const at = request.messages.filter(({ role }) => role === 'assistant').length
        const answer =
          [calls(NOTE), calls({ ...NOTE, id: 't2', name: 'mcp__notes__grep' })][at] ?? says('done')
        return answer(request, options)
      },
    }
    let runs = 0
    const run = async (write: number, when: 'before' | 'after') => {
      runs += 1
      const id = `sesn_${runs}`
      served.notes.length = 0
      await begin(withServer(served.url, 'always_allow'), id)
      const { store, crashed } = crashAt(bench.database, { write, when })
      await bench
        .brain(model, undefined, { leaseMs: 1000 }, store)
        .wake(id)
        .catch(() => 'failed')
      if (!crashed()) return undefined
      bench.nowMs += 1001
      expect(await bench.brain(model).wake(id)).toBe('rests')
      return bench.log(id)
    }
    for (const when of ['before', 'after'] as const)
      for (let write = 1; ; write += writesApart(bench)) {
        const log = await run(write, when)
        if (log === undefined) break
        const uses = find(log, 'agent.mcp_tool_use')
        const results = find(log, 'agent.mcp_tool_result')
        expect(results.map(({ body }) => body.mcp_tool_use_id)).toEqual(uses.map(({ id }) => id))
        const unsure = results.filter(({ body }) => body.is_error === true)
        expect(unsure.length).toBeLessThanOrEqual(1)
        expect(JSON.stringify(unsure)).toMatch(/^\[\]$|It may have had effects/)
        expect(served.notes.length).toBeGreaterThanOrEqual(uses.length - unsure.length)
        expect(served.notes.length).toBeLessThanOrEqual(uses.length)
        expect(lastStop(log)).toEqual({ type: 'end_turn' })
      }
    expect(runs).toBeGreaterThan(12 / writesApart(bench))
    bench.reported.length = 0
  })
})
