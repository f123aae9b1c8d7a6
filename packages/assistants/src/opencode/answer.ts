import type { HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import {
  answerAside,
  answerWith,
  askAsDenial,
  NO_OPINION,
  reasonText,
} from '../payload/answer-parts.ts'

/** OpenCode refuses when a plugin throws: ours throws the text in `deny`. */
export const answerOpencode = (
  { hook_event_name: event }: HostEvent,
  verdict: HostVerdict,
): HostAnswer => {
  // Its plugin adds the text to the system prompt.
  if (verdict.kind === 'context' && event === 'SessionStart') {
    return answerWith({ context: reasonText(verdict.context) })
  }
  if (verdict.kind !== 'deny' && verdict.kind !== 'ask') return NO_OPINION
  const reason = verdict.kind === 'ask' ? askAsDenial(verdict.reason) : reasonText(verdict.reason)
  // Thrown from a prompt, it would end the run with a meaningless error.
  return event === 'PreToolUse' ? answerWith({ deny: reason }) : answerAside(reason)
}
