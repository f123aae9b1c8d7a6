import type { HostEvent } from '@steward/contract'
import { buildEvent } from '../payload/build-event.ts'
import { fieldsOf, firstTextOf, textOf } from '../payload/fields.ts'
import { mapTool } from '../payload/map-tool.ts'
import { readCommon } from '../payload/read-common.ts'

/** Older versions call the agent tool `Task`. */
const TOOLS = { Task: { name: 'Agent' } }

/** A payload of Claude Code. `event` is the registered event, in case the payload has none. */
export const readClaude = (payload: unknown, event = ''): HostEvent => {
  const fields = fieldsOf(payload)
  const common = readCommon(fields)
  const input = typeof common.tool_input === 'object' ? fieldsOf(common.tool_input) : undefined
  return buildEvent({
    host: 'claude',
    name: textOf(fields, 'hook_event_name') ?? event,
    session: textOf(fields, 'session_id'),
    payload: fields,
    found: {
      ...common,
      ...mapTool(TOOLS, textOf(fields, 'tool_name'), input),
      // Only MessageDisplay has a turn of its own; the prompt's id is on every event of the turn.
      turn_id: firstTextOf(fields, 'prompt_id', 'turn_id'),
    },
  })
}
