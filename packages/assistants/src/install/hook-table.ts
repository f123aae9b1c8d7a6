import type { HostName } from '@steward/contract'
import type { GuardName } from './guard-paths.ts'

/** One registration of the hook with a host. */
export interface HookEntry {
  /** The host's own name of the event. */
  event: string
  matcher?: string
  /** The host does not wait. Never for the last events of a run, which it would lose. */
  async: boolean
  timeoutSeconds: number
  /** The hook judges what is about to happen, instead of telling of it. */
  guards?: true
  /** Not the hook: the host asks this guard of the daemon. */
  asks?: GuardName
}

const waits = (event: string, timeoutSeconds: number, matcher?: string): HookEntry => ({
  event,
  ...(matcher === undefined ? {} : { matcher }),
  async: false,
  timeoutSeconds,
})
/** Longer than a busy machine takes to start a program; the host goes on, or refuses, after it. */
const GUARD_SECONDS = 10
const guards = (event: string, matcher?: string): HookEntry => ({
  ...waits(event, GUARD_SECONDS, matcher),
  guards: true,
})
/** A daemon that hangs must not hold every call up for long. */
const ASK_SECONDS = 2
const asks = (guard: GuardName, event: string, matcher?: string): HookEntry => ({
  ...waits(event, ASK_SECONDS, matcher),
  asks: guard,
})
const goesOn = (event: string, matcher?: string): HookEntry => ({
  ...waits(event, 30, matcher),
  async: true,
})

/**
 * What is registered with each host: only events that the oldest supported version knows
 * (Claude Code 2.1.197; one unknown name in a plugin silences all its hooks). The launch, start and
 * stop of an agent are waited for, so that they are seen in this order; they are rare. Guards judge in
 * the hook itself, which holds without a daemon; Claude Code asks the daemon as well, which costs it
 * next to nothing and fails open.
 */
export const HOOK_TABLE: Readonly<Record<HostName, readonly HookEntry[]>> = {
  claude: [
    goesOn('SessionStart'),
    goesOn('UserPromptSubmit'),
    guards('UserPromptSubmit'),
    asks('security', 'UserPromptSubmit'),
    guards('PreToolUse', '*'),
    asks('security', 'PreToolUse', '*'),
    asks('skill', 'PreToolUse', 'Skill'),
    asks('agent', 'PreToolUse', 'Agent|Task'),
    goesOn('PostToolUse', '*'),
    goesOn('PostToolUseFailure', '*'),
    goesOn('PermissionRequest', '*'),
    goesOn('Notification'),
    waits('SubagentStart', 5),
    waits('SubagentStop', 5),
    waits('Stop', 10),
    waits('StopFailure', 10),
    waits('SessionEnd', 5),
  ],
  codex: [
    goesOn('SessionStart'),
    goesOn('UserPromptSubmit'),
    guards('UserPromptSubmit'),
    guards('PreToolUse'),
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
    guards('BeforeAgent'),
    guards('BeforeTool', '*'),
    waits('AfterTool', 5, '*'),
    waits('AfterAgent', 10),
    waits('Notification', 5),
    waits('SessionEnd', 5),
  ],
  // Its special events for shells, files and MCP come beside these and would count calls twice.
  cursor: [
    waits('sessionStart', 5),
    waits('beforeSubmitPrompt', 5),
    guards('beforeSubmitPrompt'),
    guards('preToolUse'),
    waits('postToolUse', 5),
    waits('postToolUseFailure', 5),
    waits('subagentStart', 5),
    waits('subagentStop', 5),
    waits('stop', 10),
    waits('sessionEnd', 5),
  ],
  // Its plugin hands over everything of these; it waits only for the guard before a tool call.
  opencode: [
    goesOn('session.created'),
    goesOn('chat.message'),
    guards('tool.execute.before'),
    goesOn('tool.execute.after'),
    goesOn('message.part.updated'),
    goesOn('permission.asked'),
    goesOn('session.idle'),
    goesOn('session.deleted'),
  ],
}
