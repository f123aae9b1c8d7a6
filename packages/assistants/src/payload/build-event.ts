import type { HostEvent, HostName, JsonObject } from '@steward/contract'

/** The parsed parts of an event; they override the payload's fields. */
export interface EventParts {
  host: HostName
  name: string
  session: string | undefined
  payload: JsonObject
  /** Canonical fields; undefined ones are omitted. */
  found: JsonObject
  /** Fields of the payload that have another meaning here, or must not be kept. */
  drop?: readonly string[]
  raw?: JsonObject
}

/** The only place where events are built, so that those of every assistant have the same form. */
export const buildEvent = ({
  host,
  name,
  session,
  payload,
  found,
  drop = [],
  raw = payload,
}: EventParts): HostEvent => {
  const kept = Object.entries(payload).filter(
    ([key]) => !TYPED_FIELDS.has(key) && !drop.includes(key),
  )
  const told = Object.entries(found).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(told),
    host,
    hook_event_name: name,
    session_id: session ?? '',
    raw,
  }
}

/** Typed fields: only a reader that checked the value may set them. */
const TYPED_FIELDS: ReadonlySet<string> = new Set([
  'host',
  'hook_event_name',
  'session_id',
  'turn_id',
  'cwd',
  'agent_id',
  'agent_type',
  'tool_name',
  'host_tool',
  'tool_input',
  'tool_use_id',
  'error',
  'is_interrupt',
  'duration_ms',
  'prompt',
  'last_assistant_message',
  'timestamp',
  'raw',
])
