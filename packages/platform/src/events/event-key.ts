import type { StewardEvent } from '@steward/contract'

/** Fields that tell events of the same second apart; older clients send no milliseconds. */
const TELLING = [
  'tool_name',
  'tool_input_preview',
  'subagent_id',
  'description',
  'message',
  'error',
]

/**
 * The identity of an event for dashboards. Only for merging pushed events with local ones: two real
 * tool calls may share it within a millisecond, unless they have a `tool_use_id`.
 */
export const eventKey = (event: StewardEvent): string => {
  const { timestamp, session_id, type, source, tool_use_id } = event
  const key = `${timestamp}|${session_id}|${type}|${source}`
  if (typeof tool_use_id === 'string') return `${key}|${tool_use_id}`
  const content = TELLING.map((name) => event[name]).filter((value) => typeof value === 'string')
  return content.length === 0 ? key : `${key}|${content.join('|')}`
}
