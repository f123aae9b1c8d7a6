import { isJsonObject, type JsonObject } from '@steward/contract'
import { numberOf, textOf } from './fields.ts'

/** The fields that Claude Code and compatible assistants have in common. */
export const readCommon = (payload: JsonObject): JsonObject => ({
  cwd: textOf(payload, 'cwd'),
  agent_id: textOf(payload, 'agent_id'),
  // An empty type marks the agent of a compaction.
  agent_type: typeof payload.agent_type === 'string' ? payload.agent_type : undefined,
  tool_name: textOf(payload, 'tool_name'),
  tool_input: isJsonObject(payload.tool_input) ? payload.tool_input : undefined,
  tool_use_id: textOf(payload, 'tool_use_id'),
  error: readError(payload.error),
  is_interrupt: typeof payload.is_interrupt === 'boolean' ? payload.is_interrupt : undefined,
  duration_ms: numberOf(payload, 'duration_ms'),
  prompt: typeof payload.prompt === 'string' ? payload.prompt : undefined,
  last_assistant_message: textOf(payload, 'last_assistant_message'),
  timestamp: textOf(payload, 'timestamp'),
})

/** An error as text, in whatever form. */
export const readError = (error: unknown): string | undefined => {
  if (error === undefined || error === null || error === '') return undefined
  if (typeof error === 'string') return error
  const message = isJsonObject(error) ? textOf(error, 'message') : undefined
  return message ?? JSON.stringify(error)
}
