import { HOSTS, type HostName, type HostVerdict } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerHost, readHostEvent } from './assistants.ts'
import { RECORDING_NAMES, RECORDINGS, readRecording } from './testing/recorded.ts'

const EVENTS: Readonly<Record<HostName, { tool: string; prompt: string }>> = {
  claude: { tool: 'PreToolUse', prompt: 'UserPromptSubmit' },
  codex: { tool: 'PreToolUse', prompt: 'UserPromptSubmit' },
  gemini: { tool: 'BeforeTool', prompt: 'BeforeAgent' },
  cursor: { tool: 'preToolUse', prompt: 'beforeSubmitPrompt' },
  opencode: { tool: 'tool.execute.before', prompt: 'chat.message' },
}

const answer = (host: HostName, name: string, verdict: HostVerdict) => {
  const { stdout, stderr, exitCode } = answerHost(
    readHostEvent(host, { hook_event_name: name, session_id: 's' }, name),
    verdict,
  )
  const json: unknown = stdout === '' ? undefined : JSON.parse(stdout)
  return { json, stderr, exitCode }
}

const DENY: HostVerdict = { kind: 'deny', reason: 'no such thing' }
const ASK: HostVerdict = { kind: 'ask', reason: 'really?' }

describe('answerHost', () => {
  it('denies a tool call in the form that each host was seen to hold', () => {
    const decision = {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no such thing',
      },
    }
    const forms = {
      claude: { json: decision, exitCode: 0 },
      codex: { json: decision, exitCode: 0 },
      gemini: { json: { decision: 'deny', reason: 'no such thing' }, exitCode: 0 },
      cursor: { json: { permission: 'deny', user_message: 'no such thing' }, exitCode: 2 },
      opencode: { json: { deny: 'no such thing' }, exitCode: 0 },
    }
    for (const host of HOSTS) {
      expect(answer(host, EVENTS[host].tool, DENY), host).toMatchObject(forms[host])
    }
  })

  it('asks where the host can, and refuses with an explanation where it cannot', () => {
    expect(answer('claude', 'PreToolUse', ASK).json).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'really?' },
    })
    expect(answer('gemini', 'BeforeTool', ASK).json).toEqual({ decision: 'ask', reason: 'really?' })
    expect(answer('cursor', 'preToolUse', ASK).json).toMatchObject({ permission: 'ask' })
    expect(answer('codex', 'PreToolUse', ASK).json).toMatchObject({
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringMatching(/^really\? .*consent/),
      },
    })
    expect(answer('opencode', 'tool.execute.before', ASK).json).toMatchObject({
      deny: expect.stringContaining('consent'),
    })
  })

  it('refuses prompts, permissions and stops in their own forms', () => {
    expect(answer('claude', 'UserPromptSubmit', DENY).json).toEqual({
      decision: 'block',
      reason: 'no such thing',
    })
    expect(answer('codex', 'PermissionRequest', DENY).json).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'no such thing' },
      },
    })
    expect(answer('gemini', 'BeforeAgent', DENY).json).toMatchObject({ decision: 'deny' })
    expect(answer('cursor', 'beforeSubmitPrompt', DENY).json).toMatchObject({ continue: false })
  })

  it('adds context only where it is read', () => {
    const context: HostVerdict = { kind: 'context', context: 'start the watchdog' }
    expect(answer('claude', 'PreToolUse', context).json).toEqual({
      hookSpecificOutput: { hookEventName: 'PreToolUse', additionalContext: 'start the watchdog' },
    })
    expect(answer('gemini', 'BeforeTool', context).json).toBeUndefined()
    expect(answer('gemini', 'AfterTool', context).json).toMatchObject({
      hookSpecificOutput: { hookEventName: 'AfterTool' },
    })
    expect(answer('claude', 'SessionEnd', context).json).toBeUndefined()
  })

  it('prints nothing if it has no opinion', () => {
    for (const host of HOSTS) {
      expect(answer(host, EVENTS[host].tool, { kind: 'none' })).toEqual({
        json: undefined,
        stderr: '',
        exitCode: 0,
      })
    }
  })

  it('never allows, always has a reason, and prints one JSON object or nothing for every event', () => {
    const recorded = RECORDING_NAMES.flatMap((name) =>
      readRecording(name).map((row) => ({ ...row, from: RECORDINGS[name] })),
    )
    const verdict = fc.oneof(
      fc.record({ kind: fc.constantFrom('deny' as const, 'ask' as const), reason: fc.string() }),
      fc.record({ kind: fc.constant('context' as const), context: fc.string() }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...recorded), verdict, ({ from, event, payload }, given) => {
        const { stdout } = answerHost(readHostEvent(from, payload, event), given)
        expect(stdout).not.toMatch(/"(allow|approve)"/)
        if (stdout === '') return
        const text = JSON.stringify(JSON.parse(stdout))
        expect(text).not.toMatch(/"(reason|permissionDecisionReason|deny|message)":"\s*"/)
      }),
    )
  })
})
