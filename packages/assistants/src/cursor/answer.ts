import type { HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import { answerAside, answerWith, NO_OPINION, reasonText } from '../payload/answer-parts.ts'

const BLOCKED = 2

/** Cursor reads `permission`; exit code 2 is for versions that read only the exit code. */
export const answerCursor = (
  { hook_event_name: event }: HostEvent,
  verdict: HostVerdict,
): HostAnswer => {
  switch (verdict.kind) {
    case 'none':
      return NO_OPINION
    case 'context':
      if ((event !== 'SessionStart' && event !== 'PostToolUse') || verdict.context === '') {
        return NO_OPINION
      }
      return answerWith({ additional_context: reasonText(verdict.context) })
    case 'ask':
      if (event === 'PreToolUse') return permit('ask', verdict.reason)
      return event === 'UserPromptSubmit' ? stopPrompt(verdict.reason) : NO_OPINION
    case 'deny':
      if (event === 'PreToolUse' || event === 'SubagentStart') return permit('deny', verdict.reason)
      return event === 'UserPromptSubmit'
        ? stopPrompt(verdict.reason)
        : answerAside(reasonText(verdict.reason))
  }
}

const permit = (permission: 'deny' | 'ask', reason: string): HostAnswer => {
  const text = reasonText(reason)
  const output = { permission, user_message: text, agent_message: text }
  if (permission === 'ask') return answerWith(output)
  return { ...answerWith(output, BLOCKED), stderr: `${text}\n` }
}

const stopPrompt = (reason: string): HostAnswer =>
  answerWith({ continue: false, user_message: reasonText(reason) })
