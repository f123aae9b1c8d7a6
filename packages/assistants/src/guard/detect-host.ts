import { type HostName, isFields } from '@steward/contract'

/** Which host a payload is from, for callers that do not say so; Claude Code's form is everybody's default. */
export const detectHost = (payload: unknown): HostName => {
  if (!isFields(payload)) return 'claude'
  if ('cursor_version' in payload || 'conversation_id' in payload) return 'cursor'
  if (isFields(payload.input) || isFields(payload.event)) return 'opencode'
  const { hook_event_name: name } = payload
  if (typeof name === 'string' && /^(Before|After)[A-Z]/.test(name)) return 'gemini'
  return typeof payload.turn_id === 'string' && !('prompt_id' in payload) ? 'codex' : 'claude'
}

/** What each host calls the moment before a tool call, for payloads that do not name their event. */
export const BEFORE_TOOL: Readonly<Record<HostName, string>> = {
  claude: 'PreToolUse',
  codex: 'PreToolUse',
  gemini: 'BeforeTool',
  cursor: 'preToolUse',
  opencode: 'tool.execute.before',
}

export const BEFORE_PROMPT: Readonly<Record<HostName, string>> = {
  claude: 'UserPromptSubmit',
  codex: 'UserPromptSubmit',
  gemini: 'BeforeAgent',
  cursor: 'beforeSubmitPrompt',
  opencode: 'chat.message',
}
