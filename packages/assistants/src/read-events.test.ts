import { HOSTS, type HostEvent, isJsonObject } from '@steward/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readHostEvent } from './assistants.ts'
import { RECORDING_NAMES, RECORDINGS, type Recording, readRecording } from './testing/recorded.ts'

const eventsOf = (name: Recording): HostEvent[] =>
  readRecording(name).map(({ event, payload }) => readHostEvent(RECORDINGS[name], payload, event))

const countNames = (events: readonly HostEvent[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(events, (event) => event.hook_event_name)).map(
      ([name, group]) => [name, group?.length],
    ),
  )

describe('recorded payloads', () => {
  it.each(RECORDING_NAMES)('of %s are all parsed, and name their assistant', (name) => {
    const recorded = readRecording(name)
    const events = eventsOf(name)
    expect(events.length).toBeGreaterThan(15)
    for (const [index, event] of events.entries()) {
      expect(event.host).toBe(RECORDINGS[name])
      expect(event.hook_event_name).not.toBe('')
      expect(JSON.stringify(event)).not.toMatch(/apiKey|person@example/)
      const payload = recorded[index]?.payload ?? {}
      const own = payload.session_id ?? payload.conversation_id
      if (own !== undefined) expect(event.session_id).toBe(own)
      if (isJsonObject(payload.tool_input) && /Tool|Permission/.test(event.hook_event_name)) {
        expect(Object.values(event.tool_input ?? {})).toEqual(Object.values(payload.tool_input))
      }
    }
  })

  it.each(['claude-code-2.1.197', 'claude-code-2.1.325', 'codex-0.166.0'] as const)(
    'of %s keep their names and all their fields',
    (name) => {
      for (const { event, payload } of readRecording(name)) {
        const read = readHostEvent(RECORDINGS[name], payload, event)
        expect(read.hook_event_name).toBe(event)
        expect(read.raw).toEqual(payload)
        const renamed = read.host_tool === undefined ? [] : ['tool_name', 'tool_input']
        for (const [key, value] of Object.entries(payload)) {
          if (value === null || value === '' || renamed.includes(key)) continue
          if (key === 'turn_id' && 'prompt_id' in payload) continue
          expect(read[key], key).toEqual(value)
        }
      }
    },
  )

  it('of Gemini CLI get the names of tools, prompts and turns, and failures are failures', () => {
    const events = eventsOf('gemini-cli-0.61.0')
    const names = countNames(events)
    expect(names).toMatchObject({ UserPromptSubmit: 7, SessionStart: 6, SessionEnd: 5, Stop: 5 })
    const failures = events.filter((event) => event.hook_event_name === 'PostToolUseFailure')
    expect(
      failures.map(({ tool_name, error }) => [tool_name, error?.split('\n')[0]]),
    ).toContainEqual(['Read', 'File not found: /home/u/proj/no-such-file.txt'])
    expect(
      failures.some(
        ({ tool_name, error }) => tool_name === 'Bash' && /Exit Code: 3/.test(error ?? ''),
      ),
    ).toBe(true)
    expect(events.find((event) => event.host_tool === 'invoke_agent')).toMatchObject({
      tool_name: 'Agent',
      tool_input: { subagent_type: 'codebase_investigator' },
    })
    const stop = events.find((event) => event.hook_event_name === 'Stop')
    expect(stop?.last_assistant_message).toBe('All done.')
  })

  it('of OpenCode become the same events, those of a subagent under its parent', () => {
    const events = eventsOf('opencode-1.18.33')
    const names = countNames(events)
    expect(names).toMatchObject({
      SessionStart: 5,
      SubagentStart: 1,
      UserPromptSubmit: 6,
      PermissionRequest: 1,
      PreCompact: 1,
      PostCompact: 1,
    })
    const failures = events.filter((event) => event.hook_event_name === 'PostToolUseFailure')
    expect(
      failures.map(({ tool_name, error }) => `${tool_name}: ${error?.split('\n')[0]}`),
    ).toEqual(
      expect.arrayContaining([
        'Bash: Exit code 3',
        'Read: File not found: /home/u/proj/no-such-file.txt',
      ]),
    )
    const started = events.find((event) => event.hook_event_name === 'SubagentStart')
    expect(started?.agent_id).toMatch(/^ses_/)
    expect(started?.session_id).not.toBe(started?.agent_id)
    const write = events.find((event) => event.tool_name === 'Write')
    expect(write?.tool_input).toEqual({ file_path: 'new.txt', content: 'hi' })
  })

  it('of OpenCode belong to the parent session if our plugin names it', () => {
    const payload = {
      parentID: 'p',
      event: { type: 'session.idle', properties: { sessionID: 'c' } },
    }
    expect(readHostEvent('opencode', payload, 'session.idle')).toMatchObject({
      hook_event_name: 'SubagentStop',
      session_id: 'p',
      agent_id: 'c',
    })
  })

  it('of Cursor become tool events, in either of its forms', () => {
    const events = eventsOf('cursor-examples')
    expect(
      events.map(({ hook_event_name, tool_name }) =>
        `${hook_event_name} ${tool_name ?? ''}`.trim(),
      ),
    ).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse Bash',
      'PreToolUse Bash',
      'PostToolUse Bash',
      'PostToolUse Bash',
      'PostToolUseFailure Bash',
      'PreToolUse lookup',
      'PostToolUse lookup',
      'PreToolUse Read',
      'PostToolUse Edit',
      'SubagentStart',
      'SubagentStop',
      'MessageDisplay',
      'afterAgentThought',
      'PreCompact',
      'Stop',
      'SessionEnd',
    ])
    expect(events[7]?.tool_input).toEqual({ q: 'x' })
    expect(events[1]).toMatchObject({ session_id: 'c-1', turn_id: 'g-1', cwd: '/home/u/proj' })
  })
})

describe('unknown payloads', () => {
  it.each(HOSTS)('passes through from %s', (host) => {
    const payload = { hook_event_name: 'Tomorrow', hook: 'Tomorrow', session_id: 's', shine: [1] }
    const event = readHostEvent(host, payload)
    expect(event.hook_event_name).toBe('Tomorrow')
    expect(event.shine).toEqual([1])
    expect(event.raw).toMatchObject({ shine: [1] })
  })

  it('never makes a reader fail, whatever JSON it is', () => {
    const key = fc.constantFrom(
      'hook_event_name',
      'session_id',
      'tool_name',
      'tool_input',
      'tool_response',
      'input',
      'output',
      'event',
      'type',
      'properties',
      'part',
      'state',
      'error',
      'parts',
      'info',
      'prompt',
      'agent_id',
      'workspace_roots',
      '__proto__',
      'constructor',
      'host',
      'raw',
    )
    const word = fc.constantFrom(
      'PreToolUse',
      'AfterTool',
      'tool.execute.after',
      'chat.message',
      'message.part.updated',
      'permission.asked',
      'session.idle',
      'afterShellExecution',
      'toString',
      '',
      'Bash',
      'task',
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.jsonValue(),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 6 }),
      ),
    }))
    fc.assert(
      fc.property(fc.constantFrom(...HOSTS), tree, word, (host, payload, name) => {
        const event = readHostEvent(host, payload, name)
        expect(event.host).toBe(host)
        expect(typeof event.session_id).toBe('string')
        expect(typeof event.hook_event_name).toBe('string')
        for (const field of [
          'tool_name',
          'tool_use_id',
          'agent_id',
          'prompt',
          'error',
          'cwd',
          'turn_id',
        ] as const) {
          expect(['string', 'undefined']).toContain(typeof event[field])
        }
        expect(event.tool_input === undefined || isJsonObject(event.tool_input)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})
