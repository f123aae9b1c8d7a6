import type { HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import { answerInClaudeForm } from '../payload/answer-claude-form.ts'

/** As JSON rather than with exit code 2, which shows the model the hook's whole command line. */
export const answerClaude = (event: HostEvent, verdict: HostVerdict): HostAnswer => {
  // Only a tool call can be put to the person; a prompt that needs consent is refused.
  if (verdict.kind === 'ask' && event.hook_event_name === 'UserPromptSubmit') {
    return answerInClaudeForm(event, { kind: 'deny', reason: verdict.reason })
  }
  return answerInClaudeForm(event, verdict)
}
