import type { HostName } from '@steward/contract'

/** One registration of the hook with a host. */
export interface HookEntry {
  /** The host's own name of the event. */
  event: string
  matcher?: string
  /** The host does not wait. Never for the last events of a run, which it would lose. */
  async: boolean
  timeoutSeconds: number
}

const waits = (event: string, timeoutSeconds: number, matcher?: string): HookEntry => ({
  event,
  ...(matcher === undefined ? {} : { matcher }),
  async: false,
  timeoutSeconds,
})
const goesOn = (event: string, matcher?: string): HookEntry => ({
  ...waits(event, 30, matcher),
  async: true,
})

/**
 * What is registered with each host: only events that the oldest supported version was seen to know
 * (Claude Code 2.1.197; one unknown name in a plugin silences all its hooks). The launch, start and
 * stop of an agent are waited for, so that they are seen in this order; they are rare.
 */
export const HOOK_TABLE: Readonly<Record<HostName, readonly HookEntry[]>> = {
  claude: [
    goesOn('SessionStart'),
    goesOn('UserPromptSubmit'),
    waits('PreToolUse', 5, 'Agent|Task'),
    goesOn('PostToolUse', '*'),
    goesOn('PostToolUseFailure', '*'),
    goesOn('PermissionRequest', '*'),
    goesOn('Notification'),
    waits('SubagentStart', 5),
    waits('SubagentStop', 5),
    waits('Stop', 10),
    waits('SessionEnd', 5),
  ],
  codex: [
    goesOn('SessionStart'),
    goesOn('UserPromptSubmit'),
    waits('PreToolUse', 5, 'spawn_agent'),
    goesOn('PostToolUse'),
    goesOn('PermissionRequest'),
    waits('SubagentStart', 5),
    waits('SubagentStop', 5),
    waits('Stop', 10),
    waits('SessionEnd', 3),
  ],
  // It has no hooks that it does not wait for.
  gemini: [
    waits('SessionStart', 5),
    waits('BeforeAgent', 5),
    waits('BeforeTool', 5, 'invoke_agent'),
    waits('AfterTool', 5, '*'),
    waits('AfterAgent', 10),
    waits('Notification', 5),
    waits('SessionEnd', 5),
  ],
  // Its special events for shells, files and MCP come beside these and would count calls twice.
  cursor: [
    waits('sessionStart', 5),
    waits('beforeSubmitPrompt', 5),
    waits('postToolUse', 5),
    waits('postToolUseFailure', 5),
    waits('subagentStart', 5),
    waits('subagentStop', 5),
    waits('stop', 10),
    waits('sessionEnd', 5),
  ],
  // Its plugin hands over everything of these, without being waited for.
  opencode: [
    goesOn('session.created'),
    goesOn('chat.message'),
    waits('tool.execute.before', 5),
    goesOn('tool.execute.after'),
    goesOn('message.part.updated'),
    goesOn('permission.asked'),
    goesOn('session.idle'),
    goesOn('session.deleted'),
  ],
}
