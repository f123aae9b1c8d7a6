import { isJsonObject, type StewardEvent } from '@steward/contract'

/** What one event says about agents. */
export type Sign =
  | ({ kind: 'started' | 'spawned' } & Named)
  | ({ kind: 'stopped' } & Told)
  | ({ kind: 'tool-call'; caller: Caller } & Told)
  | ({ kind: 'session-ended' } & Told)

interface Told {
  session: string
  /** Every id of the agent in the row; the first is displayed. */
  ids: readonly string[]
  /** Epoch ms; absent if the row's timestamp is invalid. */
  at: number | undefined
}

interface Named extends Told {
  type: string
  description: string
  /** The host waits for it, so its caller notices a silence without an alert. */
  foreground: boolean
}

/** `unknown`: the host does not say which agent made the call. */
type Caller = 'main' | 'agent' | 'unknown'

const KINDS: Readonly<Record<string, 'started' | 'spawned' | 'stopped'>> = {
  subagent_start: 'started',
  subagent_spawned_async: 'spawned',
  subagent_stop: 'stopped',
}

/** Undefined for a row of another kind or without an agent. */
export const readSign = (event: StewardEvent): Sign | undefined => {
  const { session_id: session, source } = event
  const at = timeOf(event.timestamp)
  if (event.type === 'session_end') return { kind: 'session-ended', session, ids: [], at }
  if (source === 'tool-activity' || source === 'tool-failure') {
    // A tool row's own `tool_use_id` is that of the call, so only these identify the caller.
    const ids = textsOf(event.agent_id, event.subagent_id)
    return { kind: 'tool-call', session, ids, at, caller: callerOf(event, ids) }
  }
  const kind = source === 'subagent' ? KINDS[event.type] : undefined
  if (kind === undefined) return undefined
  const type = textOf(event.subagent_type) ?? textOf(event.agent_type) ?? 'agent'
  const description = textOf(event.description) ?? ''
  const given = textsOf(event.subagent_id, event.agent_id, event.tool_use_id)
  const ids = given.length > 0 ? given : [`${type} ${description}`.trim()]
  if (kind === 'stopped') return { kind, session, ids, at }
  const foreground = kind === 'started' && isForeground(event)
  return { kind, session, ids, at, type, description, foreground }
}

const callerOf = (event: StewardEvent, ids: readonly string[]): Caller => {
  if (ids.length > 0) return 'agent'
  return event.agent_id === null ? 'main' : 'unknown'
}

const isForeground = (event: StewardEvent): boolean => {
  const input = isJsonObject(event.tool_input) ? event.tool_input : {}
  return event.run_in_background === false || input.run_in_background === false
}

const timeOf = (timestamp: string): number | undefined => {
  const at = Date.parse(timestamp)
  return Number.isNaN(at) ? undefined : at
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

const textsOf = (...values: unknown[]): string[] => [
  ...new Set(values.flatMap((value) => textOf(value) ?? [])),
]
