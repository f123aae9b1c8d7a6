import { type HostEvent, isJsonObject } from '@steward/contract'
import { buildEvent } from '../payload/build-event.ts'
import { fieldsOf, textOf } from '../payload/fields.ts'
import { mapTool } from '../payload/map-tool.ts'
import { readCommon } from '../payload/read-common.ts'

const TOOLS = {
  shell: { name: 'Bash' },
  local_shell: { name: 'Bash' },
  exec_command: { name: 'Bash', fields: { cmd: 'command' } },
  spawn_agent: { name: 'Agent', fields: { message: 'prompt', agent_type: 'subagent_type' } },
}

/** A payload of Codex CLI: Claude Code's form, with a turn of its own and answers of tools as plain text. */
export const readCodex = (payload: unknown, event = ''): HostEvent => {
  const fields = fieldsOf(payload)
  const input = isJsonObject(fields.tool_input) ? fields.tool_input : undefined
  return buildEvent({
    host: 'codex',
    name: textOf(fields, 'hook_event_name') ?? event,
    session: textOf(fields, 'session_id'),
    payload: fields,
    found: {
      ...readCommon(fields),
      ...mapTool(TOOLS, textOf(fields, 'tool_name'), input),
      turn_id: textOf(fields, 'turn_id'),
    },
  })
}
