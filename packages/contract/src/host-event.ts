/** The supported assistants. */
export const HOSTS = ['claude', 'codex', 'gemini', 'cursor', 'opencode'] as const
export type HostName = (typeof HOSTS)[number]

/**
 * A hook payload in one format for all hosts: Claude Code's event, tool and field names, plus
 * `host`, `turn_id` and `raw`. Unknown names and fields are passed through unchanged.
 */
export interface HostEvent {
  host: HostName
  /** `PreToolUse`, `Stop`…; the host's own name if Claude Code has no equivalent. */
  hook_event_name: string
  /** Empty if the host sent none. */
  session_id: string
  /** The host's id of one turn of the conversation. */
  turn_id?: string
  cwd?: string
  /** Only set inside a subagent. */
  agent_id?: string
  agent_type?: string
  tool_name?: string
  /** The host's name of the tool, if it differs. */
  host_tool?: string
  tool_input?: Record<string, unknown>
  tool_use_id?: string
  tool_response?: unknown
  error?: string
  is_interrupt?: boolean
  duration_ms?: number
  prompt?: string
  last_assistant_message?: string
  /** ISO time of the event, if the host sends one. */
  timestamp?: string
  /** The original payload, without fields that must not be logged. */
  raw: Record<string, unknown>
  [field: string]: unknown
}

/**
 * The answer to a host. There is no `allow`, because it would skip the person's own permission
 * prompt. `context` is for the assistant and cannot be combined with other fields.
 */
export type HostVerdict =
  | { kind: 'none' }
  | { kind: 'deny'; reason: string }
  | { kind: 'ask'; reason: string }
  | { kind: 'context'; context: string }

/** The answer in the host's format: the output and exit code of the hook program. */
export interface HostAnswer {
  exitCode: number
  stdout: string
  stderr: string
}
