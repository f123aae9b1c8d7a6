const REASON =
  'The Steward guard could not start and cannot judge this; the person should look at it. ' +
  '`steward doctor` says why.'

/**
 * What a guard says that could not even be loaded: the person is asked before each tool call, where
 * the host can ask. Elsewhere it says nothing, so that a broken installation does not end all work.
 */
export const answerUnstarted = (args: readonly string[]): string => {
  const [event = ''] = args
  if (!args.includes('--guard')) return ''
  const answer = ASK[`${args[args.indexOf('--host') + 1]} ${event}`]
  return answer === undefined ? '' : `${JSON.stringify(answer)}\n`
}

/** By host and its own name of the event. */
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
