import { sessionResource } from '@steward/contract'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AGENT, type BrainBench, message, openBench } from './testing/brain-bench.ts'
import { calls, says, scriptModel } from './testing/scripted-model.ts'

let bench: BrainBench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

const typesOf = async (id: string) =>
  (await bench.log(id)).filter(({ listed }) => listed).map(({ type }) => type)

describe('a turn', () => {
  test('tells the model where it works: files, network, packages, budget and the day', async () => {
    bench.nowMs = Date.UTC(2026, 10, 17, 12)
    const at = new Date(bench.nowMs).toISOString()
    const kept = { created_at: at, updated_at: at }
    const file = { type: 'file', file_id: 'file_1', mount_path: '/mnt/session/uploads/plan.md' }
    await bench.addSession('sesn_1', {
      agent: { ...AGENT, system: 'Be brief.' },
      environment: {
        type: 'cloud',
        networking: {
          type: 'limited',
          allowed_hosts: ['api.test'],
          allow_package_managers: true,
          allow_mcp_servers: false,
        },
        packages: { type: 'packages', apt: [], cargo: [], gem: [], go: [], npm: ['zod'], pip: [] },
      },
      resources: [
        {
          resource: sessionResource.parse({ ...file, ...kept, id: 'sesrsc_1' }),
          sealed_token: null,
        },
      ],
      budget: { type: 'limit', max_list_cost: { amount: '250', currency: 'USD' } },
    })
    await bench.send('sesn_1', message('hello'))
    const model = scriptModel([says('done')])
    await bench.brain(model).wake('sesn_1')
    const system = model.asked[0]?.system ?? ''
    expect(system).toMatch(/^Be brief\.\n\n<surroundings>\nToday is 2026-11-17/)
    for (const part of [
      '/workspace is your folder',
      '/mnt/session/outputs',
      '- /mnt/session/uploads/plan.md: a file',
      'only api.test and package registries',
      'zod (npm)',
      'may cost $2.50',
    ]) {
      expect(system).toContain(part)
    }
  })

  test('asks, runs a tool, asks again and rests', async () => {
    await bench.addSession('sesn_1')
    await bench.send('sesn_1', message('hello'))
    const model = scriptModel([
      calls({ id: 'toolu_1', name: 'bash', input: { command: 'ls' } }),
      says('done'),
    ])
    expect(await bench.brain(model).wake('sesn_1')).toBe('rests')
    expect(await typesOf('sesn_1')).toEqual([
      'user.message',
      'session.status_running',
      'span.model_request_start',
      'agent.tool_use',
      'span.model_request_end',
      'agent.tool_result',
      'span.model_request_start',
      'agent.message',
      'span.model_request_end',
      'session.status_idle',
    ])
    expect(model.asked[1]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'ls' } }],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: [{ type: 'text', text: 'bash ran' }],
          },
        ],
      },
    ])
    expect(bench.reported).toEqual([])
  })
})
