import type { HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import { answerInClaudeForm } from '../payload/answer-claude-form.ts'
import { askAsDenial } from '../payload/answer-parts.ts'

/** Codex has no `ask`: the hook would count as failed and the call would run. */
export const answerCodex = (event: HostEvent, verdict: HostVerdict): HostAnswer => {
  if (verdict.kind !== 'ask') return answerInClaudeForm(event, verdict)
  // Its own prompt is shown anyway.
  if (event.hook_event_name === 'PermissionRequest') {
    return answerInClaudeForm(event, { kind: 'none' })
  }
  return answerInClaudeForm(event, { kind: 'deny', reason: askAsDenial(verdict.reason) })
}
