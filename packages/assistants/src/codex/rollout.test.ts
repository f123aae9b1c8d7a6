import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readCodex } from './read.ts'
import { lookUpFailure } from './rollout.ts'

/** As Codex 0.166.0 writes it. */
const rowOf = (id: string, exit_code: number) =>
  JSON.stringify({
    type: 'event_msg',
    payload: {
      type: 'item_completed',
      item: { type: 'CommandExecution', id, status: exit_code ? 'failed' : 'completed', exit_code },
    },
  })

it('finds the exit code of a shell call in the rollout', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-rollout-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const transcript_path = join(folder, 'rollout.jsonl')
  const filler = `${JSON.stringify({ text: 'x'.repeat(1000) })}\n`.repeat(400)
  writeFileSync(transcript_path, `${filler}${rowOf('good', 0)}\n${rowOf('bad', 3)}\n{"torn`)
  const after = (tool_use_id: string, more: object = {}) =>
    lookUpFailure(
      readCodex({
        hook_event_name: 'PostToolUse',
        session_id: 's',
        turn_id: 't',
        tool_name: 'Bash',
        tool_input: { command: 'make' },
        tool_response: 'oops\n',
        tool_use_id,
        transcript_path,
        ...more,
      }),
    )
  expect(after('bad')).toMatchObject({
    hook_event_name: 'PostToolUseFailure',
    error: 'Exit code 3\noops',
  })
  expect(after('good').hook_event_name).toBe('PostToolUse')
  expect(after('unknown').hook_event_name).toBe('PostToolUse')
  expect(after('bad', { transcript_path: join(folder, 'gone') }).error).toBeUndefined()
  expect(after('bad', { transcript_path: null }).error).toBeUndefined()
})
