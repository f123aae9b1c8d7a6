import type { AttentionAnswer, HostAnswer, HostEvent } from '@steward/contract'
import { answerWith, NO_OPINION, reasonText } from './answer-parts.ts'
import { readQuestions } from './describe-request.ts'

/** The person's answer in Claude Code's format, which Codex also uses. */
export const answerRequestInClaudeForm = (
  event: HostEvent,
  answer: AttentionAnswer,
): HostAnswer => {
  const { hook_event_name: name } = event
  if (name === 'Stop') {
    return 'text' in answer ? answerWith({ decision: 'block', reason: answer.text }) : NO_OPINION
  }
  if (name === 'Elicitation') return answerForm(answer)
  if (name !== 'PermissionRequest') return NO_OPINION
  if ('decision' in answer) return decide(event, answer)
  const answers = answersOf(event, answer, (labels) => labels.join(', '))
  if (answers === undefined) return NO_OPINION
  return permit({ updatedInput: { ...event.tool_input, answers } })
}

type Decision = Extract<AttentionAnswer, { decision: unknown }>

const decide = (event: HostEvent, { decision, scope, message }: Decision): HostAnswer => {
  if (decision === 'deny') {
    const reason = reasonText(message?.trim() || 'The person denied this.')
    return permission({ behavior: 'deny', message: reason })
  }
  const suggestions = event.permission_suggestions
  const isAlways = scope === 'always' && Array.isArray(suggestions)
  // Newer versions of Claude Code ignore an approval of a plan that does not repeat the plan.
  const isPlan = event.tool_name === 'ExitPlanMode'
  return permit({
    ...(isAlways ? { updatedPermissions: suggestions } : {}),
    ...(isPlan ? { updatedInput: { ...event.tool_input } } : {}),
  })
}

const permit = (more: Record<string, unknown>): HostAnswer =>
  permission({ behavior: 'allow', ...more })

const permission = (decision: Record<string, unknown>): HostAnswer =>
  answerWith({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } })

/** The answers of AskUserQuestion by question, in the assistant's form. */
export const answersOf = <T>(
  event: HostEvent,
  answer: AttentionAnswer,
  formOf: (labels: string[]) => T,
): Record<string, T> | undefined => {
  const [first] = readQuestions(event.tool_input?.questions)
  if (first === undefined) return undefined
  if ('text' in answer) return { [first.question]: formOf([answer.text]) }
  if (!('choice' in answer)) return undefined
  const { choice } = answer
  const byQuestion =
    typeof choice === 'string' || Array.isArray(choice) ? { [first.question]: choice } : choice
  return Object.fromEntries(
    Object.entries(byQuestion).map(([question, chosen]) => [question, formOf([chosen].flat())]),
  )
}

const answerForm = (answer: AttentionAnswer): HostAnswer => {
  const form = (output: Record<string, unknown>): HostAnswer =>
    answerWith({ hookSpecificOutput: { hookEventName: 'Elicitation', ...output } })
  if ('content' in answer) return form({ action: 'accept', content: answer.content })
  // Only a refusal is left: a form cannot be allowed.
  return 'decision' in answer ? form({ action: 'decline' }) : NO_OPINION
}
