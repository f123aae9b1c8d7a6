import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { HostName, Phase } from '@steward/contract'
import { createRedactor, updateWorkState, writeVoicePhase } from '@steward/platform'
import type { PastHooks } from './past-hooks.ts'

/** One session of an assistant, described minute by minute. */
export interface PastSession {
  prompt: (minutesAgo: number, text: string) => Promise<void>
  tool: (minutesAgo: number, name: string, input: object, durationMs?: number) => Promise<void>
  fails: (minutesAgo: number, name: string, input: object, error: string) => Promise<void>
  /** A subagent; without an end it is still running. */
  agent: (
    fromMinutesAgo: number,
    toMinutesAgo: number | undefined,
    type: string,
    what: string,
  ) => Promise<void>
  phase: (minutesAgo: number, phase: Phase) => Promise<void>
  /** The specification at that time: criteria that are met start with `x `. */
  specify: (minutesAgo: number, specification: PastSpecification) => Promise<void>
  guard: (minutesAgo: number, command: string) => Promise<void>
  /** Ends the turn, with the tasks that the session scheduled for later. */
  answers: (minutesAgo: number, text: string, crons?: readonly object[]) => Promise<void>
  ends: (minutesAgo: number) => Promise<void>
}

export interface PastSpecification {
  slug: string
  task: string
  intent: string
  phase: Phase
  effort: string
  criteria: readonly string[]
  /** Markdown below the heading for lessons learned. */
  learned?: string
}

export const createPastSession = (
  hooks: PastHooks,
  id: string,
  host: HostName = 'claude',
): PastSession => {
  let calls = 0
  const base = { session_id: id, cwd: '/projects/tidewatch' }
  const fire = (minutesAgo: number, hook_event_name: string, more: object) =>
    hooks.fire(minutesAgo, { ...base, hook_event_name, ...more }, host)
  const nextCall = () => {
    calls += 1
    return `${id}-call-${calls}`
  }
  const tool: PastSession['tool'] = (minutesAgo, tool_name, tool_input, duration_ms = 340) =>
    fire(minutesAgo, 'PostToolUse', {
      tool_name,
      tool_input,
      tool_response: {},
      tool_use_id: nextCall(),
      duration_ms,
    })
  return {
    prompt: (minutesAgo, prompt) => fire(minutesAgo, 'UserPromptSubmit', { prompt }),
    tool,
    fails: (minutesAgo, tool_name, tool_input, error) =>
      fire(minutesAgo, 'PostToolUseFailure', {
        tool_name,
        tool_input,
        tool_use_id: nextCall(),
        error,
        duration_ms: 1870,
      }),
    agent: async (from, to, agent_type, description) => {
      const tool_use_id = nextCall()
      const agent_id = `agent-${tool_use_id}`
      const tool_input = { subagent_type: agent_type, description, prompt: description }
      await fire(from, 'PreToolUse', { tool_name: 'Agent', tool_input, tool_use_id })
      await fire(from, 'SubagentStart', { agent_id, agent_type })
      if (to !== undefined) return fire(to, 'SubagentStop', { agent_id, agent_type })
      // A session that is silent for long would be reported as stuck.
      await fire(0.1, 'PostToolUse', {
        agent_id,
        agent_type,
        tool_name: 'Bash',
        tool_input: { command: 'npm run kill-the-sender -- --times 100' },
        tool_use_id: nextCall(),
        duration_ms: 61_000,
      })
    },
    phase: async (minutesAgo, phase) => {
      const ports = { now: () => hooks.momentOf(minutesAgo), redactor: createRedactor({}) }
      const written = await updateWorkState(
        hooks.home,
        (state, nowMs) => writeVoicePhase(state, { phase, sessionUUID: id }, nowMs),
        ports,
      )
      if (!written.ok) throw written.error
    },
    specify: async (minutesAgo, specification) => {
      const file_path = join(hooks.home.work, specification.slug, 'SPEC.md')
      mkdirSync(dirname(file_path), { recursive: true })
      writeFileSync(file_path, renderSpecification(specification))
      await tool(minutesAgo, 'Write', { file_path }, 12)
    },
    guard: (minutesAgo, command) =>
      hooks.guard(
        minutesAgo,
        { ...base, hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } },
        host,
      ),
    answers: (minutesAgo, last_assistant_message, session_crons = []) =>
      fire(minutesAgo, 'Stop', { last_assistant_message, background_tasks: [], session_crons }),
    ends: (minutesAgo) => fire(minutesAgo, 'SessionEnd', { reason: 'exit' }),
  }
}

const renderSpecification = (specification: PastSpecification): string => {
  const { slug, task, intent, phase, effort, criteria, learned } = specification
  const met = criteria.filter((text) => text.startsWith('x ')).length
  const lines = criteria.map((text, index) => {
    const isMet = text.startsWith('x ')
    return `- [${isMet ? 'x' : ' '}] ISC-${index + 1}: ${isMet ? text.slice(2) : text}`
  })
  return `---
task: ${task}
slug: ${slug}
effort: ${effort}
phase: ${phase.toLowerCase()}
progress: ${met}/${criteria.length}
---

## Intent

${intent}

## Criteria

${lines.join('\n')}
${learned === undefined ? '' : `\n## Learnings\n\n${learned}\n`}`
}
