import type { PermissionOption, RequestPermissionOutcome } from '@agentclientprotocol/sdk'
import type { AttentionAnswer } from '@steward/contract'

type Kind = PermissionOption['kind']

/**
 * The outcome of a permission request. Assistants leave kinds of options out: a missing "always"
 * becomes "once", never a refusal; a missing "reject" ends the turn, never approves. Without a
 * decision nothing is allowed.
 */
export const chooseOption = (
  options: readonly PermissionOption[],
  answer: AttentionAnswer | undefined,
): RequestPermissionOutcome => {
  const isAllowed = answer !== undefined && 'decision' in answer && answer.decision === 'allow'
  const isAlways = isAllowed && 'scope' in answer && answer.scope === 'always'
  const wanted = isAllowed ? (isAlways ? ALLOW_ALWAYS : ALLOW_ONCE) : REJECT
  for (const kind of wanted) {
    const found = options.find((option) => option.kind === kind)
    if (found !== undefined) return { outcome: 'selected', optionId: found.optionId }
  }
  return { outcome: 'cancelled' }
}

/** `allow_always` alone is offered as such, so allowing it means that. */
const ALLOW_ONCE: readonly Kind[] = ['allow_once', 'allow_always']
const ALLOW_ALWAYS: readonly Kind[] = ['allow_always', 'allow_once']
const REJECT: readonly Kind[] = ['reject_once', 'reject_always']
