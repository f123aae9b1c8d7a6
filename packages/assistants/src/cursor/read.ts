import { type HostEvent, isJsonObject, type JsonObject, parseJson } from '@steward/contract'
import { buildEvent } from '../payload/build-event.ts'
import { fieldsOf, firstTextOf, numberOf, textOf } from '../payload/fields.ts'
import { mapTool } from '../payload/map-tool.ts'
import { readCommon, readError } from '../payload/read-common.ts'

const EVENTS: Readonly<Record<string, string>> = {
  sessionStart: 'SessionStart',
  sessionEnd: 'SessionEnd',
  beforeSubmitPrompt: 'UserPromptSubmit',
  preToolUse: 'PreToolUse',
  postToolUse: 'PostToolUse',
  postToolUseFailure: 'PostToolUseFailure',
  beforeShellExecution: 'PreToolUse',
  afterShellExecution: 'PostToolUse',
  beforeMCPExecution: 'PreToolUse',
  afterMCPExecution: 'PostToolUse',
  beforeReadFile: 'PreToolUse',
  afterFileEdit: 'PostToolUse',
  subagentStart: 'SubagentStart',
  subagentStop: 'SubagentStop',
  afterAgentResponse: 'MessageDisplay',
  preCompact: 'PreCompact',
  stop: 'Stop',
}

const TOOLS = { Shell: { name: 'Bash' }, Task: { name: 'Agent' } }

/** A payload of Cursor. Its special events for shells, files and MCP become tool events. */
export const readCursor = (payload: unknown, event = ''): HostEvent => {
  const fields = fieldsOf(payload)
  const said = textOf(fields, 'hook_event_name') ?? event
  const roots = Array.isArray(fields.workspace_roots) ? fields.workspace_roots : []
  const root: unknown = roots[0]
  const error = readError(fields.error) ?? textOf(fields, 'error_message')
  return buildEvent({
    host: 'cursor',
    name: (Object.hasOwn(EVENTS, said) ? EVENTS[said] : undefined) ?? said,
    session: firstTextOf(fields, 'conversation_id', 'session_id'),
    payload: fields,
    found: {
      ...readCommon(fields),
      ...readTool(said, fields),
      cwd: textOf(fields, 'cwd') ?? (typeof root === 'string' ? root : undefined),
      turn_id: textOf(fields, 'generation_id'),
      tool_use_id: firstTextOf(fields, 'tool_use_id', 'tool_call_id'),
      agent_id: firstTextOf(fields, 'agent_id', 'subagent_id'),
      agent_type: firstTextOf(fields, 'agent_type', 'subagent_type'),
      error,
      duration_ms: numberOf(fields, 'duration_ms') ?? numberOf(fields, 'duration'),
      last_assistant_message: said === 'afterAgentResponse' ? textOf(fields, 'text') : undefined,
    },
    // The person's email address stays on this machine.
    drop: ['user_email'],
    raw: withoutMail(fields),
  })
}

const withoutMail = ({ user_email: _mail, ...rest }: JsonObject): JsonObject => rest

const readTool = (said: string, fields: JsonObject): JsonObject => {
  const input = inputOf(fields)
  if (/ShellExecution$/.test(said)) {
    const { command, output } = fields
    return { tool_name: 'Bash', tool_input: { command }, tool_response: output }
  }
  if (said === 'beforeReadFile' || said === 'afterFileEdit') {
    const { file_path, edits } = fields
    const name = said === 'beforeReadFile' ? 'Read' : 'Edit'
    return { tool_name: name, tool_input: { file_path, ...(edits === undefined ? {} : { edits }) } }
  }
  const response = fields.tool_response ?? fields.tool_output ?? fields.result_json
  const mapped = mapTool(TOOLS, textOf(fields, 'tool_name'), input)
  return { ...mapped, ...(response === undefined ? {} : { tool_response: response }) }
}

/** For MCP tools it is a JSON object in a string. */
const inputOf = (fields: JsonObject): JsonObject | undefined => {
  const { tool_input: input } = fields
  if (isJsonObject(input)) return input
  if (typeof input !== 'string') return undefined
  const parsed = parseJson(input, 'tool_input')
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : { value: input }
}
