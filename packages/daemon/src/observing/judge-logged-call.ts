import type { LoggedCall } from '@steward/agents'
import type { Judgement } from '@steward/contract'
import { judgeTool, type Policy } from '@steward/policy'

type Call = Pick<LoggedCall, 'tool' | 'input' | 'cwd'>

/** Judges a logged tool call as the guards do. */
export const judgeLoggedCall = (call: Call, policy: Policy): Judgement => {
  const { tool, input, cwd } = call
  const command = commandOf(call)
  const judged = judgeTool(
    { tool, input: command === undefined ? input : { ...input, command } },
    policy,
    { cwd, environment: { HOME: policy.home }, isRecord: true },
  )
  return isCut(call) ? withoutGuess(judged) : judged
}

const CUT = '…'

export const commandOf = ({ tool, input }: Call): string | undefined => {
  const { command } = input
  if (typeof command !== 'string' || tool === 'apply_patch') return undefined
  // The last word of a truncated command is incomplete.
  return command.endsWith(CUT) ? command.slice(0, -1).replace(/(?<!\S)\S*$/, '') : command
}

const isCut = ({ input: { command } }: Call): boolean =>
  typeof command === 'string' && command.endsWith(CUT)

/** Ignores findings that only exist because the log truncated the command. */
const withoutGuess = (judged: Judgement): Judgement =>
  judged.rule === 'builtin:unresolved' ? { ...judged, verdict: 'pass' } : judged
