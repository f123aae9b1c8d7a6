import type { AttentionAnswer, HostAnswer, HostEvent, HostVerdict } from '@steward/contract'
import {
  answerAside,
  answerWith,
  askAsDenial,
  NO_OPINION,
  reasonText,
} from '../payload/answer-parts.ts'
import { answersOf } from '../payload/answer-request.ts'
import { readQuestions } from '../payload/describe-request.ts'

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

/** The body of OpenCode's reply to a permission or a question; our plugin sends it. */
export const answerOpencodeRequest = (event: HostEvent, answer: AttentionAnswer): HostAnswer => {
  if ('decision' in answer) {
    const { decision, scope, message } = answer
    if (decision === 'allow') return answerWith({ reply: scope === 'always' ? 'always' : 'once' })
    return answerWith({ reply: 'reject', ...(message ? { message } : {}) })
  }
  const chosen = answersOf(event, answer, (labels) => labels)
  if (chosen === undefined) return NO_OPINION
  const questions = readQuestions(event.tool_input?.questions)
  return answerWith({ answers: questions.map(({ question }) => chosen[question] ?? []) })
}
