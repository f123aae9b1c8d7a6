import type { PermissionAsked } from '@steward/assistants'
import type { AttentionAnswer, DrivenSession } from '@steward/contract'
import { askPermission } from './ask-permission.ts'
import { decidePermission } from './permission-rules.ts'
import type { DrivenPorts } from './ports.ts'
import type { SessionOutput } from './session-output.ts'

/**
 * Answers a permission request of a session: by the guards and its rules, else by the person. Shows
 * what was decided, and why. Undefined allows nothing.
 */
export const answerPermission = async (
  ports: DrivenPorts,
  session: DrivenSession,
  asked: PermissionAsked,
  { signal, show }: { signal: AbortSignal; show: SessionOutput['show'] },
): Promise<AttentionAnswer | undefined> => {
  const decided = decidePermission(session, asked, (call) => ports.judge(session, call))
  if (decided.decision !== 'ask') {
    const isGiven = decided.decision === 'allow'
    const what = isGiven ? 'allowed' : 'refused'
    show('permission', `${asked.title}: ${what}, because of ${decided.why}`)
    return isGiven ? { decision: 'allow', scope: 'once' } : undefined
  }
  show('permission', `${asked.title}: waits for your answer`)
  const answer = await askPermission(ports, session, asked, signal)
  const isAllowed = answer !== undefined && 'decision' in answer && answer.decision === 'allow'
  show('permission', `${asked.title}: ${isAllowed ? 'allowed' : 'not allowed'}`)
  return answer
}
