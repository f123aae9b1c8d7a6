import type { HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import { answerAside, answerWith, NO_OPINION, reasonText } from '../payload/answer-parts.ts'
import { textOf } from '../payload/fields.ts'

const TAKES_CONTEXT = new Set(['BeforeAgent', 'AfterTool', 'SessionStart'])
const DENIABLE = new Set(['BeforeTool', 'BeforeAgent', 'AfterTool', 'AfterAgent', 'BeforeModel'])

/**
 * Gemini CLI reads `decision`. In headless mode its `ask` silently ends the run without making the
 * call.
 */
export const answerGemini = (event: HostEvent, verdict: HostVerdict): HostAnswer => {
  const own = textOf(event.raw, 'hook_event_name') ?? OWN_NAMES[event.hook_event_name] ?? ''
  switch (verdict.kind) {
    case 'none':
      return NO_OPINION
    case 'context':
      if (!TAKES_CONTEXT.has(own) || verdict.context === '') return NO_OPINION
      return answerWith({
        hookSpecificOutput: { hookEventName: own, additionalContext: reasonText(verdict.context) },
      })
    case 'ask':
      if (own === 'BeforeTool') return decide('ask', verdict.reason)
      return own === 'BeforeAgent' ? decide('deny', verdict.reason) : NO_OPINION
    case 'deny':
      return DENIABLE.has(own) ? decide('deny', verdict.reason) : answerAside(verdict.reason)
  }
}

/** For a payload that does not name its event. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  PreToolUse: 'BeforeTool',
  PostToolUse: 'AfterTool',
  PostToolUseFailure: 'AfterTool',
  UserPromptSubmit: 'BeforeAgent',
  Stop: 'AfterAgent',
  SessionStart: 'SessionStart',
}

const decide = (decision: 'deny' | 'ask', reason: string): HostAnswer =>
  answerWith({ decision, reason: reasonText(reason) })
