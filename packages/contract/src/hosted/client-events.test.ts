import { expect, test } from 'vitest'
import { sendEventsBody } from './client-events.ts'

const text = { type: 'text', text: 'hello' }
const message = { type: 'user.message', content: [text] }
const system = { type: 'system.message', content: [text] }
const confirm = { type: 'user.tool_confirmation', tool_use_id: 'sevt_1', result: 'allow' }

const takes = (...events: object[]) => sendEventsBody.safeParse({ events }).success

test('a system message comes last, directly after the message it belongs to', () => {
  expect(takes(message, system)).toBe(true)
  expect(takes(system)).toBe(false)
  expect(takes(system, message)).toBe(false)
  expect(takes(confirm, system)).toBe(false)
  expect(takes(message, system, message)).toBe(false)
})

test('only a denial may have a reason', () => {
  expect(takes({ ...confirm, result: 'deny', deny_message: 'no' })).toBe(true)
  expect(takes({ ...confirm, deny_message: 'no' })).toBe(false)
  expect(takes({ ...confirm, deny_message: null, session_thread_id: 'sthr_1' })).toBe(true)
})

test('unknown fields of an event are refused, those of a block are dropped', () => {
  expect(takes({ ...message, contnet: [] })).toBe(false)
  const block = { ...text, cache_control: { type: 'ephemeral' } }
  const result = {
    type: 'user.tool_result',
    tool_use_id: 'sevt_1',
    is_error: false,
    content: [block],
  }
  expect(sendEventsBody.parse({ events: [result] }).events).toEqual([
    { ...result, content: [text] },
  ])
})

test.each([[[]], [[{ type: 'agent.message', content: [] }]], [[{ ...message, content: [] }]]])(
  '%o are not valid events',
  (events) => {
    expect(sendEventsBody.safeParse({ events }).success).toBe(false)
  },
)
