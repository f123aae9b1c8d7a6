/** The assistants that Steward reads and answers. */
export const HOSTS = ['claude', 'codex', 'gemini', 'cursor', 'opencode'] as const
export type HostName = (typeof HOSTS)[number]

/**
 * What a host told a hook, in one form for all: Claude Code's event and tool names, its field names,
 * and `host`, `turn_id` and `raw` beside them. Names and fields that nobody knows yet come through as
 * the host sent them.
 */
export interface HostEvent {
  host: HostName
  /** `PreToolUse`, `Stop`…; the host's own word where Claude Code has none for it. */
  hook_event_name: string
  /** Empty when the host named none. */
  session_id: string
  /** One turn of the conversation; the host's own id of it. */
  turn_id?: string
  cwd?: string
  /** Inside of a subagent only. */
  agent_id?: string
  agent_type?: string
  tool_name?: string
  /** What the host calls the tool, where that is another word. */
  host_tool?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  tool_response?: unknown
  error?: string
  is_interrupt?: boolean
  duration_ms?: number
  prompt?: string
  last_assistant_message?: string
  /** When it happened, where the host says so: ISO. */
  timestamp?: string
  /** The payload as it came, without what no log may hold. */
  raw: Record<string, unknown>
  [field: string]: unknown
}

/**
 * What is answered to a host. There is no `allow`: it would skip the person's own permission prompt.
 * `context` is for the assistant and may go with nothing else.
 */
export type HostVerdict =
  | { kind: 'none' }
  | { kind: 'deny'; reason: string }
  | { kind: 'ask'; reason: string }
  | { kind: 'context'; context: string }

/** The same in a host's own form: what the hook program prints and ends with. */
export interface HostAnswer {
  exitCode: number
  stdout: string
  stderr: string
}
