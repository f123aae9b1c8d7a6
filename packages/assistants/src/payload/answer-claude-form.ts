import type { HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import { answerAside, answerWith, NO_OPINION, reasonText } from './answer-parts.ts'

/** Events whose refusal is `decision: "block"`. */
const BLOCKABLE = new Set(['UserPromptSubmit', 'PostToolUse', 'Stop', 'SubagentStop', 'PreCompact'])

const TAKES_CONTEXT = new Set([
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'SessionStart',
  'SubagentStart',
])

/** Claude Code's format, which Codex also uses; the caller handles `ask` if it is not supported. */
export const answerInClaudeForm = (
  { hook_event_name: event }: HostEvent,
  verdict: HostVerdict,
): HostAnswer => {
  switch (verdict.kind) {
    case 'none':
      return NO_OPINION
    case 'context':
      if (!TAKES_CONTEXT.has(event) || verdict.context === '') return NO_OPINION
      return specific(event, { additionalContext: reasonText(verdict.context) })
    case 'ask':
      return event === 'PreToolUse' ? decide(event, 'ask', verdict.reason) : NO_OPINION
    case 'deny':
      return deny(event, reasonText(verdict.reason))
  }
}

const deny = (event: string, reason: string): HostAnswer => {
  if (event === 'PreToolUse') return decide(event, 'deny', reason)
  if (event === 'PermissionRequest') {
    return specific(event, { decision: { behavior: 'deny', message: reason } })
  }
  return BLOCKABLE.has(event) ? answerWith({ decision: 'block', reason }) : answerAside(reason)
}

const decide = (event: string, decision: 'deny' | 'ask', reason: string): HostAnswer =>
  specific(event, {
    permissionDecision: decision,
    permissionDecisionReason: reasonText(reason),
  })

const specific = (event: string, output: Record<string, unknown>): HostAnswer =>
  answerWith({ hookSpecificOutput: { hookEventName: event, ...output } })
