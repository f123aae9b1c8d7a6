import type { StewardEvent } from '@steward/contract'

/**
 * The identity of an event for dashboards. Only for merging pushed events with local ones: two real
 * tool calls may share it within a millisecond, unless they have a `tool_use_id`.
 */
export const eventKey = (event: StewardEvent): string => {
  const { timestamp, session_id, type, source, tool_use_id } = event
  const key = `${timestamp}|${session_id}|${type}|${source}`
  return typeof tool_use_id === 'string' ? `${key}|${tool_use_id}` : key
}
