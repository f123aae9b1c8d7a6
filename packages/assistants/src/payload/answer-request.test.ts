import type { AttentionAnswer, HostEvent, HostName } from '@steward/contract'
import { describe, expect, it } from 'vitest'
import { ASSISTANTS, readHostEvent } from '../assistants.ts'
import { describeRequest } from './describe-request.ts'

const render = (event: HostEvent, answer: AttentionAnswer): unknown => {
  const stdout = ASSISTANTS[event.host].answers?.render(event, answer).stdout ?? ''
  return stdout === '' ? undefined : JSON.parse(stdout)
}

const SUGGESTIONS = [
  { type: 'addDirectories', directories: ['/home/u/proj'], destination: 'session' },
  { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
]
const permission = (host: HostName) =>
  readHostEvent(host, {
    session_id: 's',
    hook_event_name: 'PermissionRequest',
    ...(host === 'codex' ? { turn_id: 't' } : { permission_suggestions: SUGGESTIONS }),
    tool_name: 'Bash',
    tool_input: { command: 'touch mark-permission', description: 'demo' },
  })
const QUESTIONS = [
  {
    question: 'Which colour?',
    header: 'Colour',
    multiSelect: false,
    options: [{ label: 'Red', description: 'warm' }, { label: 'Blue' }],
  },
  { question: 'Which sizes?', multiSelect: true, options: [{ label: 'S' }, { label: 'L' }] },
]
const question = readHostEvent('claude', {
  session_id: 's',
  hook_event_name: 'PermissionRequest',
  tool_name: 'AskUserQuestion',
  tool_input: { questions: QUESTIONS },
})

describe('requests of assistants', () => {
  it('are described with everything that a person would allow', () => {
    expect(describeRequest(permission('claude'))).toEqual({
      reason: 'permission',
      detail: 'Bash: touch mark-permission',
      asked: {
        decides: true,
        always: 'addDirectories /home/u/proj (session); setMode acceptEdits (session)',
        questions: [],
        fields: [],
        takesText: false,
      },
    })
    expect(describeRequest(permission('codex'))?.asked).not.toHaveProperty('always')
    expect(describeRequest(question)).toMatchObject({
      reason: 'question',
      detail: 'Which colour?\nWhich sizes?',
      asked: { decides: false, questions: [{ multiple: false }, { multiple: true }] },
    })
    const plan = { hook_event_name: 'PermissionRequest', tool_name: 'ExitPlanMode' }
    expect(
      describeRequest(readHostEvent('claude', { ...plan, tool_input: { plan: '1. Test' } })),
    ).toMatchObject({ reason: 'plan', detail: '1. Test', asked: { decides: true } })
    expect(describeRequest(readHostEvent('claude', { hook_event_name: 'Stop' }))).toBeUndefined()
  })

  it('are answered in the form of Claude Code, which Codex shares', () => {
    const decision = (given: object) => ({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: given },
    })
    for (const host of ['claude', 'codex'] as const) {
      const event = permission(host)
      expect(render(event, { decision: 'allow' })).toEqual(decision({ behavior: 'allow' }))
      expect(render(event, { decision: 'deny', message: 'no' })).toEqual(
        decision({ behavior: 'deny', message: 'no' }),
      )
    }
    expect(render(permission('claude'), { decision: 'allow', scope: 'always' })).toEqual(
      decision({ behavior: 'allow', updatedPermissions: SUGGESTIONS }),
    )
    // Codex fails hooks that change permissions.
    expect(render(permission('codex'), { decision: 'allow', scope: 'always' })).toEqual(
      decision({ behavior: 'allow' }),
    )
    const plan = readHostEvent('claude', {
      session_id: 's',
      hook_event_name: 'PermissionRequest',
      tool_name: 'ExitPlanMode',
      tool_input: { plan: '1. Test', planFilePath: '/plans/test.md' },
    })
    expect(render(plan, { decision: 'allow' })).toEqual(
      decision({
        behavior: 'allow',
        updatedInput: { plan: '1. Test', planFilePath: '/plans/test.md' },
      }),
    )
    expect(render(plan, { decision: 'deny', message: 'no' })).toEqual(
      decision({ behavior: 'deny', message: 'no' }),
    )
    const choice = { 'Which colour?': 'Blue', 'Which sizes?': ['S', 'L'] }
    expect(render(question, { choice })).toEqual(
      decision({
        behavior: 'allow',
        updatedInput: {
          questions: QUESTIONS,
          answers: { 'Which colour?': 'Blue', 'Which sizes?': 'S, L' },
        },
      }),
    )
    // An answer without a choice never becomes a permission.
    expect(render(permission('claude'), { text: 'yes' })).toBeUndefined()
    expect(render(permission('claude'), { choice: 'Blue' })).toBeUndefined()
  })

  it('fill in forms, decline them, and reply to a turn that ends', () => {
    const form = readHostEvent('claude', {
      session_id: 's',
      hook_event_name: 'Elicitation',
      mcp_server_name: 'paint',
      message: 'Which colour?',
      mode: 'form',
      requested_schema: {
        type: 'object',
        properties: {
          colour: { type: 'string', enum: ['Red', 'Blue'] },
          litres: { type: 'number' },
        },
        required: ['colour'],
      },
    })
    expect(describeRequest(form)).toMatchObject({
      reason: 'form',
      detail: 'paint: Which colour?',
      asked: {
        fields: [
          { name: 'colour', type: 'text', options: ['Red', 'Blue'], required: true },
          { name: 'litres', type: 'number', required: false },
        ],
      },
    })
    const output = (given: object) => ({
      hookSpecificOutput: { hookEventName: 'Elicitation', ...given },
    })
    expect(render(form, { content: { colour: 'Blue' } })).toEqual(
      output({ action: 'accept', content: { colour: 'Blue' } }),
    )
    expect(render(form, { decision: 'deny' })).toEqual(output({ action: 'decline' }))
    const end = readHostEvent('claude', { session_id: 's', hook_event_name: 'Stop' })
    expect(render(end, { text: 'Also update the docs' })).toEqual({
      decision: 'block',
      reason: 'Also update the docs',
    })
  })

  it('are answered in the form of OpenCode, whose plugin sends it', () => {
    const bus = (type: string, properties: object) =>
      readHostEvent('opencode', { event: { type, properties: { sessionID: 's', ...properties } } })
    const asked = bus('permission.asked', {
      id: 'per_1',
      permission: 'bash',
      metadata: { command: 'touch mark-ask' },
      always: ['touch *'],
    })
    expect(describeRequest(asked)).toMatchObject({
      detail: 'Bash: touch mark-ask',
      asked: { decides: true, always: 'touch *' },
    })
    expect(render(asked, { decision: 'allow' })).toEqual({ reply: 'once' })
    expect(render(asked, { decision: 'allow', scope: 'always' })).toEqual({ reply: 'always' })
    expect(render(asked, { decision: 'deny', message: 'no' })).toEqual({
      reply: 'reject',
      message: 'no',
    })
    const questions = [{ ...QUESTIONS[0], multiple: false }]
    const question = bus('question.asked', { id: 'que_1', questions })
    expect(describeRequest(question)).toMatchObject({ reason: 'question' })
    expect(render(question, { choice: 'Blue' })).toEqual({ answers: [['Blue']] })
  })

  it('of Gemini and Cursor are answered in their terminals only', () => {
    expect(ASSISTANTS.gemini.answers).toBeUndefined()
    expect(ASSISTANTS.cursor.answers).toBeUndefined()
  })
})
