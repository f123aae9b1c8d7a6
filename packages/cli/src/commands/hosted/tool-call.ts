import { isJsonObject } from '@steward/contract'
import { cleanText } from '../../output/clean-text.ts'
import type { StreamedEvent } from './types.ts'

/** An event in which the agent calls a tool. */
export type ToolCallEvent = Extract<
  StreamedEvent,
  { type: 'agent.tool_use' | 'agent.custom_tool_use' | 'agent.mcp_tool_use' }
>

export const isToolCall = (event: { type: string }): event is ToolCallEvent =>
  event.type === 'agent.tool_use' ||
  event.type === 'agent.custom_tool_use' ||
  event.type === 'agent.mcp_tool_use'

/** The most informative field of a call. */
const MAIN_FIELDS = ['command', 'file_path', 'pattern', 'url', 'query']

/** `bash  ls -la`: the complete call, never cut, so that people see everything they allow. */
export const describeCall = (event: ToolCallEvent): string => {
  const name =
    event.type === 'agent.mcp_tool_use' ? `${event.mcp_server_name}/${event.name}` : event.name
  const input: unknown = event.input
  if (!isJsonObject(input)) return cleanText(name)
  const main = MAIN_FIELDS.map((field) => input[field]).find((value) => typeof value === 'string')
  const fields = Object.keys(input)
  const shown = typeof main === 'string' && fields.length === 1 ? main : JSON.stringify(input)
  return fields.length === 0 ? cleanText(name) : cleanText(`${name}  ${shown}`)
}
