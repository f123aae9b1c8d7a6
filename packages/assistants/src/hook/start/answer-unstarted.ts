const REASON =
  'The Steward guard could not start and cannot judge this; a person should check it. ' +
  '`steward doctor` shows why.'

/**
 * The answer of a guard that could not be loaded: it asks before each tool call if the host
 * supports it. Otherwise it says nothing, so that a broken installation does not block all work.
 */
export const answerUnstarted = (args: readonly string[]): string => {
  const [event = ''] = args
  if (!args.includes('--guard')) return ''
  const answer = ASK[`${args[args.indexOf('--host') + 1]} ${event}`]
  return answer === undefined ? '' : `${JSON.stringify(answer)}\n`
}

/** By host and the host's event name. */
const ASK: Readonly<Record<string, object>> = {
  'claude PreToolUse': {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'ask',
      permissionDecisionReason: REASON,
    },
  },
  'gemini BeforeTool': { decision: 'ask', reason: REASON },
  'cursor preToolUse': { permission: 'ask', user_message: REASON, agent_message: REASON },
}
