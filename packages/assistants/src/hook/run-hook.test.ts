import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HOSTS } from '@steward/contract'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ASSISTANTS } from '../assistants.ts'
import { runHook } from './run-hook.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steward-run-hook-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = async (args: readonly string[], input: string): Promise<string> => {
  let said = ''
  const stderr = { write: (text: string) => (said += text) }
  const env = { STEWARD_HOME: home, HOME: home }
  await runHook({ argv: ['node', 'hook', ...args], env, stderr }, () => input)
  return said
}
const linesOf = (path: string): unknown[] =>
  (existsSync(join(home, path)) ? readFileSync(join(home, path), 'utf8') : '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const FIELDS = [
  'session_id',
  'hook_event_name',
  'tool_name',
  'tool_input',
  'tool_response',
  'tool_use_id',
  'agent_id',
  'agent_type',
  'prompt',
  'last_assistant_message',
  'timestamp',
  'error',
  'duration_ms',
  'cwd',
  'input',
  'output',
  'event',
  '__proto__',
]
const EVENTS = [
  ...new Set(HOSTS.flatMap((host) => ASSISTANTS[host].hooks.map(({ event }) => event))),
]

describe('runHook', () => {
  it('never fails, whatever is on standard input, and every row is whole', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('Agent', 'Bash', 'Write', '', '\ud800', '../../x', 'Stop', '+99999-01-01'),
    )
    const payload = fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...FIELDS), value))
    const given = fc.record({
      host: fc.constantFrom(...HOSTS),
      event: fc.oneof(fc.constantFrom(...EVENTS), fc.string()),
      input: fc.oneof(
        payload.map((found) => JSON.stringify(found)),
        fc.string(),
      ),
    })
    let fired = 0
    await fc.assert(
      fc.asyncProperty(given, async ({ host, event, input }) => {
        await run([event, '--host', host], input)
        fired += 1
        expect(linesOf('state/hook-firings.jsonl')).toHaveLength(fired)
      }),
      { numRuns: 150 },
    )
    for (const log of ['tool-activity', 'tool-failures', 'subagent-events']) {
      expect(linesOf(`MEMORY/OBSERVABILITY/${log}.jsonl`), log).not.toContain(null)
    }
  }, 60_000)

  it('records its duration and errors, without secrets', async () => {
    await run(['Stop'], '{"session_id":"s","hook_event_name":"Stop"}')
    expect(await run(['Stop', '--origin', 'plugin'], 'Authorization: Bearer abcdefghij')).toContain(
      'steward-hook:',
    )
    expect(linesOf('state/hook-firings.jsonl')).toMatchObject([
      { host: 'claude', event: 'Stop', duration_ms: expect.any(Number) },
      { host: 'claude', event: 'Stop', origin: 'plugin', errors: [expect.any(String)] },
    ])
    expect(JSON.stringify(linesOf('state/hook-firings.jsonl'))).not.toContain('abcdefghij')
  })

  it("labels the calls of Gemini's only agent while it runs", async () => {
    const fire = (event: string, tool_name: string, tool_input: object, ...flags: string[]) =>
      run(
        [event, '--host', 'gemini', ...flags],
        JSON.stringify({ session_id: 'g1', hook_event_name: event, tool_name, tool_input }),
      )
    const delegate = { agent_name: 'codebase_investigator', objective: 'look' }
    await fire('AfterTool', 'run_shell_command', { command: 'ls before' })
    await fire('BeforeTool', 'invoke_agent', delegate, '--guard')
    await fire('AfterTool', 'run_shell_command', { command: 'ls inside' })
    await fire('AfterTool', 'invoke_agent', delegate)
    await fire('AfterTool', 'run_shell_command', { command: 'ls after' })
    const [started] = linesOf('MEMORY/OBSERVABILITY/subagent-events.jsonl')
    const rows = linesOf('MEMORY/OBSERVABILITY/tool-activity.jsonl')
    const subagent_id: unknown = Object(started).subagent_id
    const label = { agent_id: subagent_id, agent_type: 'codebase_investigator' }
    expect(subagent_id).toEqual(expect.any(String))
    expect(rows.map((row) => Object(row).agent_id)).toEqual([
      undefined,
      subagent_id,
      undefined,
      undefined,
    ])
    expect(rows[1]).toMatchObject({ tool_name: 'Bash', ...label })
  })
})
