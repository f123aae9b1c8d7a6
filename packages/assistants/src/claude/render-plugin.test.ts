import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ASSISTANTS } from '../assistants.ts'
import { readRecording } from '../testing/recorded.ts'
import { renderPlugin } from './render-plugin.ts'

const PLUGIN = join(import.meta.dirname, '../../../../plugin')

/** As Claude Code starts it, without a shell; answers with what it prints. */
const startHook = (args: readonly string[], env: Record<string, string>): string => {
  const run = spawnSync(join(PLUGIN, 'hooks/start-hook'), args, {
    env: { HOME: '/nowhere', ...env },
    encoding: 'utf8',
  })
  expect(run.status).toBe(0)
  return run.stdout
}

describe('the Claude Code plugin', () => {
  it('matches the table (node scripts/build-hook.ts --plugin writes it)', () => {
    for (const [path, text] of Object.entries(renderPlugin())) {
      expect(readFileSync(join(PLUGIN, path), 'utf8'), path).toBe(text)
    }
  })

  it('asks the daemon only about skills and agents, so that a daemon that hangs delays no other call', () => {
    const asking = ASSISTANTS.claude.hooks.filter(({ asks }) => asks !== undefined)
    expect(asking.map(({ matcher }) => matcher)).toEqual(['Skill', 'Agent|Task'])
    for (const { timeoutSeconds } of asking) expect(timeoutSeconds).toBeLessThanOrEqual(1)
  })

  it('starts the hook on the Node that it finds', () => {
    const script = ['-e', 'console.log(process.argv.slice(1).join())', 'x', 'y']
    expect(startHook(script, { PATH: '/nowhere', STEWARD_NODE: process.execPath })).toBe('x,y\n')
    expect(startHook(script, { PATH: dirname(process.execPath) })).toBe('x,y\n')
  })

  it('asks before a tool call and says what to do where there is no Node', () => {
    const none = { PATH: '/nowhere', STEWARD_NODE: '/nowhere/node' }
    const file = '/p/steward-hook.mjs'
    const guard = startHook([file, 'PreToolUse', '--host', 'claude', '--guard'], none)
    expect(JSON.parse(guard)).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'ask',
        permissionDecisionReason: expect.stringMatching(/Install Node 22\.13 .*STEWARD_NODE/),
      },
    })
    const prompt = startHook([file, 'UserPromptSubmit', '--host', 'claude', '--guard'], none)
    expect(JSON.parse(prompt)).toEqual({ systemMessage: expect.stringContaining('Install Node') })
    expect(startHook([file, 'PostToolUse', '--host', 'claude'], none)).toBe('')
  })

  it('names only events that the oldest supported version knows', () => {
    // Not in the recordings; `claude plugin validate` of 2.1.197 accepts it and refuses unknown
    // names.
    const accepted = ['Elicitation', 'StopFailure']
    const seen = new Set(readRecording('claude-code-2.1.197').map(({ event }) => event))
    const unseen = ASSISTANTS.claude.hooks
      .map(({ event }) => event)
      .filter((event) => !seen.has(event))
    expect(unseen).toEqual(accepted)
  })
})
