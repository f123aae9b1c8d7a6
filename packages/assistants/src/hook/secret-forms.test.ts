import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { generated } from '../../../platform/src/redaction/testing/generated-secrets.ts'
import {
  HELD_BACK_TEXTS,
  missedRates,
} from '../../../platform/src/redaction/testing/held-back-rates.ts'
import { findLeaks, SINK_CASES } from '../../../platform/src/redaction/testing/secret-forms.ts'
import { runHook } from './run-hook.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-hook-secrets-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const fire = async (hook_event_name: string, payload: object): Promise<void> => {
  const input = JSON.stringify({ session_id: 's', hook_event_name, cwd: '/x', ...payload })
  const env = { STEWARD_HOME: home, HOME: home }
  const stderr = { write: () => undefined }
  await runHook({ argv: ['node', 'hook', hook_event_name], env, stderr }, () => input)
}
const logOf = (name: string): string =>
  readFileSync(join(home, `MEMORY/OBSERVABILITY/${name}.jsonl`), 'utf8')

it('no row of a tool call, a failure or a prompt shows any form of a secret', async () => {
  for (const { text } of SINK_CASES) {
    const call = { tool_name: 'Bash', tool_input: { command: text } }
    await fire('PostToolUse', { ...call, tool_response: { stdout: text, stderr: text } })
    await fire('PostToolUseFailure', { ...call, error: `failed: ${text}` })
    await fire('UserPromptSubmit', { prompt: `please use this one: ${text}` })
  }
  const [activity, failures] = [logOf('tool-activity'), logOf('tool-failures')]
  expect(activity.trimEnd().split('\n')).toHaveLength(2 * SINK_CASES.length)
  expect(failures.trimEnd().split('\n')).toHaveLength(SINK_CASES.length)
  expect(findLeaks(activity)).toEqual([])
  expect(findLeaks(failures)).toEqual([])
  expect(findLeaks(readFileSync(join(home, 'MEMORY/STATE/work.json'), 'utf8'))).toEqual([])
}, 60_000)

it('masks the members of an input by their names before it becomes text', async () => {
  const secret = generated(12, 1)
  const tool_input = {
    url: 'https://x.test',
    apiKey: secret,
    args: ['-u', 'root', '--token', secret],
  }
  await fire('PostToolUse', { tool_name: 'mcp__x__call', tool_input, tool_response: '' })
  const row: unknown = JSON.parse(logOf('tool-activity'))
  expect(row).toMatchObject({
    tool_input_preview:
      '{"url":"https://x.test","apiKey":"[redacted]","args":["-u","root","--token","[redacted]"]}',
  })
})

it('writes the held-back texts into rows with the required rates', async () => {
  for (const text of HELD_BACK_TEXTS) {
    const call = { tool_name: 'Bash', tool_input: { command: text } }
    await fire('PostToolUse', { ...call, tool_response: { stdout: text, stderr: text } })
    await fire('PostToolUseFailure', { ...call, error: `failed: ${text}` })
  }
  for (const name of ['tool-activity', 'tool-failures']) {
    expect(missedRates(logOf(name).trimEnd().split('\n'))).toEqual([])
  }
}, 60_000)

it('names a session without words of a secret', async () => {
  const secret = `gh${'p_'}${generated(36, 3)}`
  await fire('UserPromptSubmit', { prompt: `Deploy with ${secret} to the staging server now` })
  const state = readFileSync(join(home, 'MEMORY/STATE/work.json'), 'utf8')
  expect(state).toContain('"sessionName": "Deploy Staging Server Now"')
  expect(state.toLowerCase()).not.toContain(secret.slice(4).toLowerCase())
})

it('masks the comment of a rating before it is cut', async () => {
  const secret = `gh${'p_'}${generated(36, 4)}`
  // The cut at 500 characters falls into the secret, which nothing recognises by its first half.
  await fire('UserPromptSubmit', { prompt: `9 - ${'good '.repeat(98)}${secret} works` })
  const ratings = readFileSync(join(home, 'MEMORY/LEARNING/SIGNALS/ratings.jsonl'), 'utf8')
  expect(ratings).toContain('"rating":9')
  expect(ratings).not.toContain(secret.slice(0, 8))
})
