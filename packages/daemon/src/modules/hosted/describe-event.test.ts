import { expect, test } from 'vitest'
import { clip, describeEvent, describeInput, textOf } from './describe-event.ts'

const AT = '2026-11-15T10:00:00.000Z'
const event = (type: string, body: object) => ({
  seq: 1,
  id: 'sevt_1',
  at: AT,
  type,
  processed_at: AT,
  ...body,
})
const text = (words: string) => [{ type: 'text', text: words }]

test.each([
  [
    'user.message',
    { content: text('go'), processed_at: null },
    { kind: 'message', by: 'you', queued: true },
  ],
  ['agent.message', { content: text('done') }, { kind: 'message', by: 'agent', text: 'done' }],
  [
    'agent.tool_use',
    {
      name: 'bash',
      input: { command: 'ls' },
      evaluated_permission: 'deny',
      evaluation: { type: 'auto', evaluated_permission: { type: 'deny', reason_code: 'risky' } },
    },
    { kind: 'call', tool: 'bash', input: 'ls', permission: 'deny', reason: 'risky' },
  ],
  [
    'agent.mcp_tool_use',
    { name: 'find', mcp_server_name: 'notes', input: {} },
    { kind: 'call', tool: 'notes/find', input: '', permission: null },
  ],
  [
    'agent.tool_result',
    { tool_use_id: 'c', content: text('no'), is_error: true },
    { kind: 'result', callId: 'c', text: 'no', failed: true },
  ],
  [
    'user.tool_confirmation',
    { tool_use_id: 'c', result: 'deny', deny_message: 'not now' },
    { kind: 'answer', callId: 'c', allowed: false, text: 'not now' },
  ],
  [
    'session.status_idle',
    { stop_reason: { type: 'end_turn' }, stop_details: null },
    { kind: 'status', status: 'idle', reason: 'end_turn' },
  ],
  ['user.interrupt', {}, { kind: 'note', text: 'You interrupted it' }],
  ['of.the_future', { any: 'thing' }, { kind: 'note', text: 'of.the_future' }],
  ['agent.message', { content: 'no list' }, { kind: 'note', text: 'agent.message' }],
])('%s', (type, body, expected) => {
  expect(describeEvent(event(type, body))).toMatchObject({
    seq: 1,
    id: 'sevt_1',
    type,
    ...expected,
  })
})

test('pictures are named and long texts are cut', () => {
  const source = { type: 'base64' as const, media_type: 'image/png', data: 'AAAA' }
  expect(textOf([{ type: 'image', source }])).toBe('[image]')
  const long = clip('x'.repeat(20_007))
  expect(long.endsWith('… 7 more characters')).toBe(true)
  expect(long.length).toBeLessThan(20_050)
})

test('a single main field is shown bare, others as JSON', () => {
  expect(describeInput({ command: 'ls' })).toBe('ls')
  expect(describeInput({ command: 'ls', timeout: 3 })).toContain('"timeout": 3')
  expect(describeInput({ note: 'ls' })).toBe('{\n  "note": "ls"\n}')
})
