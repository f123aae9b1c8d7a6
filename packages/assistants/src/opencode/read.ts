import { type HostEvent, isJsonObject, type JsonObject } from '@steward/contract'
import { buildEvent } from '../payload/build-event.ts'
import { fieldsOf, nestedOf, numberOf, textOf } from '../payload/fields.ts'
import { mapTool } from '../payload/map-tool.ts'
import { readError } from '../payload/read-common.ts'

const EVENTS: Readonly<Record<string, string>> = {
  'session.created': 'SessionStart',
  'session.deleted': 'SessionEnd',
  dispose: 'SessionEnd',
  'session.idle': 'Stop',
  'session.error': 'StopFailure',
  'session.compacted': 'PostCompact',
  'experimental.session.compacting': 'PreCompact',
  'chat.message': 'UserPromptSubmit',
  'tool.execute.before': 'PreToolUse',
  'tool.execute.after': 'PostToolUse',
  'permission.asked': 'PermissionRequest',
  'question.asked': 'PermissionRequest',
  // Not OpenCode's: our plugin could not pass on an answer.
  'answer.failed': 'AnswerFailed',
}
const OF_SUBAGENT: Readonly<Record<string, string>> = {
  SessionStart: 'SubagentStart',
  Stop: 'SubagentStop',
}

const PATH = { filePath: 'file_path' }
const TOOLS = {
  bash: { name: 'Bash' },
  write: { name: 'Write', fields: PATH },
  edit: { name: 'Edit', fields: PATH },
  multiedit: { name: 'MultiEdit', fields: PATH },
  patch: { name: 'apply_patch', fields: { patchText: 'command' } },
  read: { name: 'Read', fields: PATH },
  glob: { name: 'Glob' },
  grep: { name: 'Grep' },
  list: { name: 'LS' },
  webfetch: { name: 'WebFetch' },
  websearch: { name: 'WebSearch' },
  skill: { name: 'Skill', fields: { name: 'skill' } },
  task: { name: 'Agent' },
}

/**
 * The payload from our OpenCode plugin: `{input, output}` of a hook or `{event}` of its bus. The
 * plugin adds `parentID` for a subagent's session, and `last_assistant_message` when a turn ends.
 */
export const readOpencode = (payload: unknown, event = ''): HostEvent => {
  const fields = withoutProvider(fieldsOf(payload))
  const bus = nestedOf(fields, 'event')
  const properties = nestedOf(bus, 'properties')
  const input = nestedOf(fields, 'input')
  const info = nestedOf(properties, 'info')
  const said = textOf(bus, 'type') ?? (event || (textOf(fields, 'hook') ?? ''))
  const own = textOf(input, 'sessionID') ?? textOf(properties, 'sessionID') ?? textOf(info, 'id')
  const parent = textOf(fields, 'parentID') ?? textOf(info, 'parentID')
  const found = { ...readTurn(said, fields), ...readToolCall(said, fields) }
  const known = (Object.hasOwn(EVENTS, said) ? EVENTS[said] : undefined) ?? said
  const name = parent === undefined ? known : (OF_SUBAGENT[known] ?? known)
  return buildEvent({
    host: 'opencode',
    name: found.error !== undefined && isToolEvent(said) ? 'PostToolUseFailure' : name,
    session: parent ?? own,
    payload: fields,
    found: {
      ...found,
      ...(parent === undefined ? {} : { agent_id: own, agent_type: textOf(info, 'agent') }),
      cwd: textOf(fields, 'directory') ?? textOf(info, 'directory'),
      last_assistant_message: textOf(fields, 'last_assistant_message'),
    },
    drop: ['input', 'output', 'event', 'hook', 'parentID', 'directory'],
    raw: fields,
  })
}

/** Some payloads carry the provider's API key: it is dropped here, before anything is logged. */
const withoutProvider = (payload: JsonObject): JsonObject => {
  const { input } = payload
  if (!isJsonObject(input) || !('provider' in input || 'model' in input)) return payload
  const { provider: _provider, model: _model, ...rest } = input
  return { ...payload, input: rest }
}

const isToolEvent = (said: string): boolean =>
  said === 'tool.execute.after' || said === 'message.part.updated'

const readTurn = (said: string, fields: JsonObject): JsonObject => {
  if (said !== 'chat.message') return {}
  const output = nestedOf(fields, 'output')
  const parts = Array.isArray(output.parts) ? output.parts : []
  const texts = parts.flatMap((part: unknown) =>
    isJsonObject(part) && part.synthetic !== true ? (textOf(part, 'text') ?? []) : [],
  )
  return { prompt: texts.join('\n'), turn_id: textOf(nestedOf(output, 'message'), 'id') }
}

const readToolCall = (said: string, fields: JsonObject): JsonObject => {
  const input = nestedOf(fields, 'input')
  const output = nestedOf(fields, 'output')
  if (said === 'tool.execute.before') {
    return { ...call(input, output.args), tool_use_id: textOf(input, 'callID') }
  }
  if (said === 'tool.execute.after') {
    const found = { ...call(input, input.args), tool_use_id: textOf(input, 'callID') }
    const exit = numberOf(nestedOf(output, 'metadata'), 'exit')
    if (exit === undefined || exit === 0) return { ...found, tool_response: output }
    const text = textOf(output, 'output') ?? ''
    return { ...found, tool_response: output, error: `Exit code ${exit}\n${text}`.trimEnd() }
  }
  const properties = nestedOf(nestedOf(fields, 'event'), 'properties')
  if (said === 'permission.asked') {
    const tool = call({ tool: properties.permission }, properties.metadata)
    return {
      ...tool,
      tool_use_id: textOf(nestedOf(properties, 'tool'), 'callID'),
      always: properties.always,
    }
  }
  if (said === 'question.asked') {
    const { questions } = properties
    return { tool_name: 'AskUserQuestion', host_tool: 'question', tool_input: { questions } }
  }
  if (said === 'answer.failed') return { error: textOf(properties, 'error') }
  return said === 'message.part.updated' ? readFailedPart(nestedOf(properties, 'part')) : {}
}

const call = (named: JsonObject, args: unknown): JsonObject => ({
  ...mapTool(TOOLS, textOf(named, 'tool'), isJsonObject(args) ? args : undefined),
})

/** A tool that throws has no separate event: only its message part shows the failure. */
const readFailedPart = (part: JsonObject): JsonObject => {
  const state = nestedOf(part, 'state')
  if (part.type !== 'tool' || state.status !== 'error') return {}
  const time = nestedOf(state, 'time')
  const [start, end] = [numberOf(time, 'start'), numberOf(time, 'end')]
  return {
    ...call(part, state.input),
    tool_use_id: textOf(part, 'callID'),
    turn_id: textOf(part, 'messageID'),
    error: readError(state.error) ?? 'the tool failed',
    duration_ms: start === undefined || end === undefined ? undefined : end - start,
  }
}
