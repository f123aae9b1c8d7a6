import type { StewardEvent } from '@steward/contract'
import { expect, it } from 'vitest'
import { foldSession } from './fold-session.ts'

const at = (minute: number): string => new Date(Date.UTC(2026, 2, 7, 12, minute)).toISOString()
const row = (minute: number, type: string, more: object = {}): StewardEvent => ({
  timestamp: at(minute),
  session_id: 's',
  source: type.startsWith('subagent') ? 'subagent' : 'tool-activity',
  type,
  ...more,
})
const fold = (events: readonly StewardEvent[]) => foldSession({ events, work: [], verdicts: [] })

it('shows prompt, calls and answer in order, with what the log knows of a call', () => {
  const items = fold([
    row(9, 'turn_end', { message_preview: 'Done.' }),
    row(3, 'tool_use', {
      ...{ tool_name: 'Edit', tool_use_id: 'b', duration_ms: 12 },
      ground_truth: { file_path: 'a.ts', diff: { removed: 'one\ntwo', added: 'three' } },
    }),
    row(2, 'tool_use', {
      ...{ tool_name: 'Bash', tool_use_id: 'a', tool_input_preview: '{"command":"ls"}' },
      ground_truth: { command: 'ls', stdout_preview: 'a.ts', stderr_preview: '' },
    }),
    row(1, 'user_prompt', { prompt: 'Rename it' }),
  ])
  expect(items).toMatchObject([
    { kind: 'prompt', text: 'Rename it' },
    { kind: 'call', call: { tool: 'Bash', summary: 'ls', output: 'a.ts', failed: false } },
    { kind: 'call', call: { summary: 'a.ts', diff: '-one\n-two\n+three', durationMs: 12 } },
    { kind: 'answer', text: 'Done.' },
  ])
})

it('puts the calls of a subagent into its lane, at its beginning', () => {
  const agent = { agent_id: 'x', subagent_id: 'x', subagent_type: 'Explore' }
  const call = { tool_name: 'Read', tool_use_id: 'c', agent_id: 'x' }
  const begun = row(1, 'subagent_start', { ...agent, description: 'Look around' })
  const items = fold([begun, row(2, 'tool_use', call), row(3, 'tool_use', { tool_name: 'Bash' })])
  expect(items).toMatchObject([
    { kind: 'agent', type: 'Explore', task: 'Look around', isRunning: true },
    { kind: 'call', call: { tool: 'Bash' } },
  ])
  expect(items[0]).toMatchObject({ calls: [{ tool: 'Read' }] })
  const ended = fold([begun, row(4, 'subagent_stop', { ...agent, duration_seconds: 180 })])
  expect(ended).toMatchObject([{ kind: 'agent', isRunning: false, durationMs: 180_000 }])
})

it('shows a failed call once, with its error and its input', () => {
  const failed = {
    ...row(2, 'tool_failure', { tool_name: 'Bash', tool_use_id: 'a', error: 'no such file' }),
    source: 'tool-failure' as const,
    tool_input_preview: '{"command":"cat x"}',
  }
  const input = '{\n  "command": "cat x"\n}'
  expect(fold([failed])).toMatchObject([
    { call: { summary: 'cat x', error: 'no such file', failed: true, input } },
  ])
})

it('adds phases and verdicts where they happened, and leaves out what was allowed', () => {
  const verdict = (minute: number, kind: 'deny' | 'pass') => ({
    ...{ id: kind, timestamp: at(minute), session_id: 's', host: 'claude', tool: 'Bash' },
    ...{ verdict: kind, event_type: 'block', rule: 'r', reason: 'no', target: 'rm', shadow: false },
  })
  const items = foldSession({
    events: [row(1, 'user_prompt', { prompt: 'Go' })],
    work: [],
    verdicts: [verdict(3, 'pass'), verdict(2, 'deny')],
  })
  expect(items.map(({ kind }) => kind)).toEqual(['prompt', 'verdict'])
})
