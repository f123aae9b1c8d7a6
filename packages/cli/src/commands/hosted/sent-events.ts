import { StewardError } from '@steward/contract'
import type { TargetFlags } from './target.ts'
import type { GivenEvent } from './types.ts'

export interface SendFlags extends TargetFlags {
  allow?: string[]
  deny?: string[]
  message?: string
  result?: string
  error?: true
  interrupt?: true
  wait: boolean
}

/** Converts a command line to events, in a sensible order. */
export const eventsOf = (text: string | undefined, flags: SendFlags): GivenEvent[] => {
  const { allow = [], deny = [], message, result, error, interrupt } = flags
  if (message !== undefined && deny.length === 0) throw refuse('--message', 'it needs --deny')
  if (error && result === undefined) throw refuse('--error', 'it needs --result')
  if (result !== undefined && text === undefined)
    throw refuse('--result', 'give the result after the event')
  const events: GivenEvent[] = [
    ...(interrupt ? [{ type: 'user.interrupt' as const }] : []),
    ...allow.map((id) => confirmationOf(id, 'allow')),
    ...deny.map((id) => confirmationOf(id, 'deny', message)),
  ]
  if (result !== undefined && text !== undefined)
    events.push({
      type: 'user.custom_tool_result',
      custom_tool_use_id: result,
      content: [{ type: 'text', text }],
      ...(error ? { is_error: true } : {}),
    })
  else if (text !== undefined) events.push(messageOf(text))
  if (events.length === 0)
    throw refuse('nothing to send', 'give a text, --allow, --deny, --result or --interrupt')
  return events
}

/** A person's message as an event. */
export const messageOf = (text: string) => ({
  type: 'user.message' as const,
  content: [{ type: 'text' as const, text }],
})

export const confirmationOf = (
  id: string,
  result: 'allow' | 'deny',
  message?: string,
): GivenEvent => ({
  type: 'user.tool_confirmation',
  tool_use_id: id,
  result,
  ...(message === undefined ? {} : { deny_message: message }),
})

const refuse = (subject: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject, reason })
