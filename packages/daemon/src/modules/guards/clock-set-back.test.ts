import { readHostEvent } from '@steward/assistants'
import { expect, test } from 'vitest'
import { createNoticeLimit } from './notice-limit.ts'
import { createSeenCalls } from './seen-calls.ts'

const HOUR_MS = 3_600_000

test('a clock that is set back suppresses no notice', () => {
  let nowMs = 2 * HOUR_MS
  const mayNotify = createNoticeLimit(() => nowMs)
  expect([mayNotify('a'), mayNotify('a')]).toEqual([true, false])
  nowMs = HOUR_MS
  expect([mayNotify('a'), mayNotify('a')]).toEqual([true, false])
})

test('a clock that is set back makes no new call look like a repeated one', () => {
  let nowMs = 2 * HOUR_MS
  const wasSeen = createSeenCalls(() => nowMs)
  const event = readHostEvent('claude', {
    hook_event_name: 'PreToolUse',
    session_id: 's',
    tool_name: 'Bash',
    tool_use_id: 't',
    tool_input: { command: 'ls' },
  })
  if (event === undefined) throw new Error('the event cannot be read')
  expect([wasSeen(event), wasSeen(event)]).toEqual([false, true])
  nowMs = HOUR_MS
  expect(wasSeen(event)).toBe(false)
})
