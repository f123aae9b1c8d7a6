import type { StewardEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { createSessionWaits } from './session-waits.ts'

const NOW = Date.parse('2026-11-15T10:00:00Z')
const row = (minute: number, type: string, more: Partial<StewardEvent> = {}): StewardEvent => ({
  timestamp: new Date(NOW - (60 - minute) * 60_000).toISOString(),
  session_id: 'a',
  source: 'tool-activity',
  type,
  ...more,
})
const after = (...events: StewardEvent[]) => {
  const waits = createSessionWaits(() => NOW)
  waits.take(events)
  return waits.waiting().map(({ session_id, reason, detail, since }) => ({
    session_id,
    reason,
    detail,
    minute: 60 - (NOW - Date.parse(since)) / 60_000,
  }))
}

it('asks for the person while a permission is asked for, since the first time, and not after', () => {
  const asked = row(1, 'permission_request', {
    tool_name: 'Bash',
    tool_input_preview: 'npm publish',
  })
  const reminded = row(3, 'notification', {
    notification_type: 'permission_prompt',
    message: 'needs you',
  })
  const expected = { session_id: 'a', reason: 'permission', detail: 'Bash: npm publish', minute: 1 }
  expect(after(asked, reminded)).toEqual([expected])
  expect(after(asked, row(4, 'tool_use', { tool_name: 'Bash' }))).toEqual([])
  expect(after(asked, row(4, 'user_prompt'))).toEqual([])
  expect(after(asked, row(4, 'session_end'))).toEqual([])
})

it('is not distracted by subagents and announcements', () => {
  const asked = row(1, 'permission_request', { tool_name: 'Bash' })
  const busy = row(2, 'tool_use', { agent_id: 'sub' })
  const voice = row(3, 'voice_start', { source: 'voice' })
  expect(after(asked, busy, voice)).toMatchObject([{ reason: 'permission' }])
})

it('names questions, plans, forms, idle sessions and the prompts of Gemini', () => {
  const reasonOf = (...events: StewardEvent[]) =>
    after(...events).map(({ reason, detail }) => `${reason}: ${detail}`)
  const question = row(1, 'permission_request', {
    tool_name: 'AskUserQuestion',
    request: 'Which colour?',
    tool_input_preview: '{"questions":[…',
  })
  const prompt = row(2, 'notification', { notification_type: 'permission_prompt', message: 'x' })
  expect(reasonOf(question, prompt)).toEqual(['question: Which colour?'])
  const plan = row(1, 'permission_request', { tool_name: 'ExitPlanMode', request: 'First…' })
  expect(reasonOf(plan)).toEqual(['plan: First…'])
  const form = row(1, 'notification', { notification_type: 'elicitation_dialog', message: 'Name?' })
  expect(reasonOf(form)).toEqual(['form: Name?'])
  const gemini = row(1, 'notification', {
    notification_type: 'ToolPermission',
    request: 'touch mark',
    message: 'Tool Confirm Shell Command requires execution',
  })
  expect(reasonOf(gemini)).toEqual(['permission: touch mark'])
  const idle = row(3, 'notification', { notification_type: 'idle_prompt', message: 'waiting' })
  expect(after(row(1, 'turn_end', { background_tasks: 2 }))).toEqual([])
  const done = row(2, 'turn_end', { message_preview: 'All tests pass.' })
  expect(after(done, idle)).toEqual([
    { session_id: 'a', reason: 'idle', detail: 'All tests pass.', minute: 2 },
  ])
})

it('forgets sessions without an answer for half a day', () => {
  expect(after(row(60 - 13 * 60, 'turn_end'))).toEqual([])
})

it('uses the time of an event, not of its arrival', () => {
  const late = row(1, 'tool_use')
  expect(after(row(2, 'permission_request', { tool_name: 'Bash' }), late)).toHaveLength(1)
})

it('stays done when a tool call of the same turn is reported late', () => {
  const end = row(2, 'turn_end', { turn_id: 't1', message_preview: 'All tests pass.' })
  const seconds = (count: number): string =>
    new Date(Date.parse(end.timestamp) + count * 1000).toISOString()
  const call = (count: number, turn: string): StewardEvent => ({
    ...row(2, 'tool_use', { turn_id: turn, tool_name: 'Edit' }),
    timestamp: seconds(count),
  })
  expect(after(end, call(1, 't1'))).toMatchObject([{ reason: 'done' }])
  expect(after(end, call(1, 't2'))).toEqual([])
  expect(after(end, call(6, 't1'))).toEqual([])
  expect(after(end, call(1, 't1'), { ...row(2, 'user_prompt'), timestamp: seconds(2) })).toEqual([])
})
