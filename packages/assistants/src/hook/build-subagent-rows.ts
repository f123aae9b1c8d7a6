import {
  type EventTypeOf,
  type HostEvent,
  isJsonObject,
  type JsonObject,
  parseJson,
} from '@steward/contract'
import { ASSISTANTS } from '../assistants.ts'
import { firstTextOf, textOf } from '../payload/fields.ts'
import type { AgentLaunches } from './agent-launches.ts'
import type { ClipText } from './clip-text.ts'

const DESCRIPTION_CHARS = 300
const PROMPT_CHARS = 200

interface Moment {
  iso: string
  ms: number
}

/**
 * Rows of subagents, from SubagentStart to SubagentStop; the launching call adds the description
 * and, if it returned immediately, shows that the agent runs in the background.
 */
export const buildSubagentRows = (
  event: HostEvent,
  at: Moment,
  launches: AgentLaunches,
  clip: ClipText,
): JsonObject[] => {
  switch (event.hook_event_name) {
    case 'PreToolUse':
      return event.tool_name === 'Agent' ? launch(event, at, launches, clip) : []
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return event.tool_name === 'Agent' ? launched(event, at, launches, clip) : []
    case 'SubagentStart':
      return event.agent_id === undefined ? [] : start(event, event.agent_id, at, launches)
    case 'SubagentStop':
      return event.agent_id === undefined ? [] : stop(event, event.agent_id, at, launches)
    default:
      return []
  }
}

/** Without agent events, the call that waits for an agent is the only sign of it. */
const hasNoAgentEvents = ({ host }: HostEvent): boolean => !ASSISTANTS[host].subagents.haveEvents

const launch = (
  event: HostEvent,
  at: Moment,
  launches: AgentLaunches,
  clip: ClipText,
): JsonObject[] => {
  const known = launchOf(event, clip)
  if (hasNoAgentEvents(event)) {
    const id = callId(event)
    launches.remember(id, known)
    const claimed = launches.claim(id, textOf(known, 'subagent_type'), at.ms)
    return [rowOf(event, 'subagent_start', id, at, { ...known, ...claimed })]
  }
  if (event.tool_use_id !== undefined) launches.remember(event.tool_use_id, known)
  return []
}

const launched = (
  event: HostEvent,
  at: Moment,
  launches: AgentLaunches,
  clip: ClipText,
): JsonObject[] => {
  if (hasNoAgentEvents(event)) return stop(event, callId(event), at, launches)
  if (event.tool_use_id !== undefined) launches.forget(event.tool_use_id)
  const response = responseOf(event.tool_response)
  const agentId = firstTextOf(response, 'agentId', 'agent_id')
  const isAsync =
    response.status === 'async_launched' ||
    ASSISTANTS[event.host].subagents.areWaitedFor === 'never'
  if (!isAsync || agentId === undefined) return []
  const more = { ...launchOf(event, clip), run_in_background: true, tool_use_id: event.tool_use_id }
  launches.link(agentId, more)
  return [rowOf(event, 'subagent_spawned_async', agentId, at, more)]
}

const start = (event: HostEvent, id: string, at: Moment, launches: AgentLaunches): JsonObject[] => {
  const { startedAtMs: _earlier, ...known } = launches.claim(id, event.agent_type, at.ms)
  return [rowOf(event, 'subagent_start', id, at, { ...known, ...typeOf(event) })]
}

const stop = (event: HostEvent, id: string, at: Moment, launches: AgentLaunches): JsonObject[] => {
  const { startedAtMs, run_in_background, prompt_preview, ...known } = launches.finish(id)
  // A compaction ends an agent that was never started.
  if (startedAtMs === undefined && event.agent_type === '') return []
  const seconds = typeof startedAtMs === 'number' ? Math.max(0, at.ms - startedAtMs) / 1000 : null
  const more = { ...known, ...typeOf(event), duration_seconds: seconds }
  return [rowOf(event, 'subagent_stop', id, at, more)]
}

const typeOf = ({ agent_type }: HostEvent): JsonObject =>
  agent_type === undefined || agent_type === '' ? {} : { subagent_type: agent_type }

const launchOf = (event: HostEvent, clip: ClipText): JsonObject => {
  const input = event.tool_input ?? {}
  const prompt = textOf(input, 'prompt') ?? ''
  const description = firstTextOf(input, 'description', 'name') ?? prompt
  const { run_in_background: asked } = input
  const waits = ASSISTANTS[event.host].subagents.areWaitedFor === 'always'
  const background = waits ? false : typeof asked === 'boolean' ? asked : undefined
  return {
    tool_use_id: event.tool_use_id,
    subagent_type: textOf(input, 'subagent_type'),
    subagent_model: textOf(input, 'model'),
    description: clip(description, DESCRIPTION_CHARS),
    prompt_preview: clip(prompt, PROMPT_CHARS),
    run_in_background: background,
  }
}

const rowOf = (
  event: HostEvent,
  type: EventTypeOf<'subagent'>,
  id: string,
  at: Moment,
  more: JsonObject,
): JsonObject => ({
  timestamp: at.iso,
  event: type,
  source: 'subagent',
  type,
  session_id: event.session_id,
  host: event.host,
  turn_id: event.turn_id,
  subagent_id: id,
  agent_id: id,
  ...more,
})

const responseOf = (response: unknown): JsonObject => {
  if (isJsonObject(response)) return response
  if (typeof response !== 'string') return {}
  const parsed = parseJson(response, 'tool_response')
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
}

/** Identifies a call and its end, which share no id, by agent and task. */
const callId = (event: HostEvent): string => {
  const { subagent_type, prompt } = event.tool_input ?? {}
  const text = JSON.stringify([event.session_id, subagent_type, prompt])
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return `call-${(hash >>> 0).toString(16)}`
}
