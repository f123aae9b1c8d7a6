import type {
  HostEvent,
  HostVerdict,
  Judgement,
  SecurityEventDraft,
  Verdict,
} from '@steward/contract'

const SHOWN_CHARS = 300
const RECORDED_CHARS = 20_000

/** Converts a judgement to an answer; alerts pass. */
export const verdictOf = (judgement: Judgement | undefined): HostVerdict => {
  if (judgement?.verdict === 'deny') {
    return { kind: 'deny', reason: `The security policy refuses this: ${explain(judgement)}` }
  }
  if (judgement?.verdict === 'ask') {
    return {
      kind: 'ask',
      reason: `The security policy requires consent for this: ${explain(judgement)}`,
    }
  }
  return { kind: 'none' }
}

/** Calm and specific, so that the assistant tries something else instead of giving up. */
const explain = ({ reason, part, rule }: Judgement): string => {
  const shown = part.length <= SHOWN_CHARS ? part : `${part.slice(0, SHOWN_CHARS - 1)}…`
  const about = shown === '' ? '' : ` (${shown})`
  return `${reason}${about}. Rule: ${rule}`
}

/** The security log entries of a judgement; empty if no rule matched. */
export const securityDrafts = (
  event: HostEvent,
  judgement: Judgement | undefined,
): SecurityEventDraft[] => {
  if (judgement === undefined) return []
  const said = judgement.verdict === 'pass' ? [] : [draft(event, judgement, false)]
  return [...said, ...(judgement.shadowed ?? []).map((each) => draft(event, each, true))]
}

const draft = (event: HostEvent, judgement: Judgement, shadow: boolean): SecurityEventDraft => {
  const { verdict, rule, reason } = judgement
  return {
    session_id: event.session_id,
    host: event.host,
    tool: event.hook_event_name === 'UserPromptSubmit' ? 'prompt' : (event.tool_name ?? 'unknown'),
    verdict,
    rule,
    reason,
    target: targetOf(event, judgement).slice(0, RECORDED_CHARS),
    ...(shadow ? { shadow } : {}),
    ...(event.tool_use_id === undefined ? {} : { call: event.tool_use_id }),
  }
}

const targetOf = (event: HostEvent, { path, part }: Judgement): string => {
  const command = event.tool_input?.command
  return typeof command === 'string' && command !== '' ? command : (path ?? part)
}

/** A halted session is refused everything; `at` and `by` name whom to ask. */
export const haltDraft = (event: HostEvent, reason: string): SecurityEventDraft => {
  const verdict: Verdict = 'deny'
  const judgement = { verdict, rule: 'builtin:halt', reason, part: event.tool_name ?? '' }
  return draft(event, judgement, false)
}
