import { type HostEvent, isJsonObject, type JsonObject } from '@steward/contract'
import { buildEvent } from '../payload/build-event.ts'
import { fieldsOf, firstTextOf, nestedOf, textOf } from '../payload/fields.ts'
import { mapTool } from '../payload/map-tool.ts'
import { readCommon, readError } from '../payload/read-common.ts'

const EVENTS: Readonly<Record<string, string>> = {
  BeforeAgent: 'UserPromptSubmit',
  AfterAgent: 'Stop',
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  PreCompress: 'PreCompact',
}

const PATH = { absolute_path: 'file_path' }
const TOOLS = {
  run_shell_command: { name: 'Bash' },
  write_file: { name: 'Write', fields: PATH },
  replace: { name: 'Edit', fields: PATH },
  read_file: { name: 'Read', fields: PATH },
  glob: { name: 'Glob' },
  search_file_content: { name: 'Grep' },
  grep_search: { name: 'Grep' },
  web_fetch: { name: 'WebFetch' },
  google_web_search: { name: 'WebSearch' },
  activate_skill: { name: 'Skill', fields: { name: 'skill' } },
  invoke_agent: { name: 'Agent', fields: { agent_name: 'subagent_type' } },
}

/** A payload of Gemini CLI: its own event and tool names, and failures inside of the tool's answer. */
export const readGemini = (payload: unknown, event = ''): HostEvent => {
  const fields = fieldsOf(payload)
  const said = textOf(fields, 'hook_event_name') ?? event
  const known = Object.hasOwn(EVENTS, said) ? EVENTS[said] : undefined
  const input = isJsonObject(fields.tool_input) ? fields.tool_input : undefined
  const error = known === 'PostToolUse' ? findError(fields) : undefined
  return buildEvent({
    host: 'gemini',
    name: error === undefined ? (known ?? said) : 'PostToolUseFailure',
    session: textOf(fields, 'session_id'),
    payload: fields,
    found: {
      ...readCommon(fields),
      ...mapTool(TOOLS, textOf(fields, 'tool_name'), input),
      error,
      last_assistant_message: firstTextOf(fields, 'last_assistant_message', 'prompt_response'),
    },
    drop: ['prompt_response'],
  })
}

/** A failed command is only visible in the text for the model. */
const EXIT_CODE = /^Exit Code: ([1-9]\d*)\s*$/m

const findError = (fields: JsonObject): string | undefined => {
  const response = nestedOf(fields, 'tool_response')
  const error = readError(response.error)
  if (error !== undefined) return error
  if (textOf(fields, 'tool_name') !== 'run_shell_command') return undefined
  const text = textOf(response, 'llmContent') ?? ''
  return EXIT_CODE.test(text) ? text : undefined
}
