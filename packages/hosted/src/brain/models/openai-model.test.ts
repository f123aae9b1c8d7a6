import { afterEach, describe, expect, test } from 'vitest'
import { type Answer, type ModelServer, serveAnswers } from '../testing/messages-server.ts'
import type { ModelDelta, ModelRequest } from './model.ts'
import { createOpenaiModel } from './openai-model.ts'

let server: ModelServer | undefined
afterEach(() => server?.close())

const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'local',
  choices: [{ index: 0, delta, finish_reason }],
})
const usage = {
  ...chunk({}),
  choices: [],
  usage: {
    prompt_tokens: 20,
    completion_tokens: 5,
    total_tokens: 25,
    prompt_tokens_details: { cached_tokens: 8 },
  },
}

const ask = async (answer: Answer, messages: ModelRequest['messages']) => {
  server = await serveAnswers([answer], { named: false })
  const model = createOpenaiModel({
    provider: 'openai',
    apiKey: 'sk-secret',
    baseUrl: server.url,
    fetch,
    now: () => 0,
  })
  const deltas: ModelDelta[] = []
  const reply = await model.ask(
    {
      model: { id: 'local' },
      system: 'Be brief.',
      tools: [{ name: 'bash', description: 'runs', inputSchema: { type: 'object' } }],
      messages,
    },
    { signal: new AbortController().signal, onDelta: (delta) => deltas.push(delta) },
  )
  return { reply, deltas }
}
const HELLO: ModelRequest['messages'] = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]

describe('an OpenAI-compatible server', () => {
  test('streams text and calls, converted both ways', async () => {
    const { reply, deltas } = await ask(
      {
        type: 'events',
        events: [
          chunk({ role: 'assistant', content: 'I ' }),
          chunk({ content: 'look' }),
          chunk({
            tool_calls: [
              {
                index: 0,
                id: 'call_1',
                type: 'function',
                function: { name: 'bash', arguments: '{"comm' },
              },
            ],
          }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: 'and":"ls"}' } }] }),
          chunk({}, 'tool_calls'),
          usage,
        ],
      },
      [
        ...HELLO,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_0', name: 'bash', input: { command: 'pwd' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_0', content: [{ type: 'text', text: '/' }] },
            { type: 'text', text: 'go on' },
          ],
        },
        { role: 'system', content: [{ type: 'text', text: 'hurry' }] },
      ],
    )
    expect(reply).toEqual({
      content: [
        { type: 'text', text: 'I look' },
        { type: 'tool_use', id: 'call_1', name: 'bash', input: { command: 'ls' } },
      ],
      stop: 'tool_use',
      usage: { input: 12, output: 5, cacheRead: 8, cacheWrite5m: 0, cacheWrite1h: 0 },
    })
    expect(deltas.map((delta) => (delta.type === 'text' ? delta.text : ''))).toEqual(['I ', 'look'])
    const [asked] = server?.asked ?? []
    expect(asked?.path).toBe('/v1/chat/completions')
    expect(asked?.headers.authorization).toBe('Bearer sk-secret')
    expect(asked?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_0',
            type: 'function',
            function: { name: 'bash', arguments: '{"command":"pwd"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_0', content: '/' },
      { role: 'user', content: 'go on' },
      { role: 'system', content: 'hurry' },
    ])
  })

  test.each([
    [429, 'insufficient_quota', 'billing'],
    [429, 'rate_limit_exceeded', 'rate_limited'],
    [404, 'model_not_found', 'rejected'],
    [503, 'server_error', 'failed'],
  ])('classifies %i %s', async (status, code, kind) => {
    const body = { error: { message: 'no', type: 'error', code } }
    await expect(ask({ type: 'status', status, body }, HELLO)).rejects.toMatchObject({ kind })
  })
})
