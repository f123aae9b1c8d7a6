import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BrainBench, message, openBench } from './testing/brain-bench.ts'
import { calls, says, scriptModel } from './testing/scripted-model.ts'

let bench: BrainBench
beforeEach(() => {
  bench = openBench()
})
afterEach(() => bench.close())

const typesOf = async (id: string) =>
  (await bench.log(id)).filter(({ listed }) => listed).map(({ type }) => type)

describe('a turn', () => {
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
