import type { DrivenSession } from '@steward/contract'

/** The limit that a session has reached, in words; undefined if it may go on. */
export const reachedLimit = ({
  limits,
  turns,
  toolCalls,
  workedMs,
  costUsd,
}: Pick<DrivenSession, 'limits' | 'turns' | 'toolCalls' | 'workedMs' | 'costUsd'>):
  | string
  | undefined => {
  const { minutes, toolCalls: mostCalls, budgetUsd } = limits
  if (minutes !== undefined && workedMs >= minutes * 60_000) return `${minutes} minutes`
  if (mostCalls !== undefined && toolCalls > mostCalls) return `${mostCalls} tool calls`
  if (budgetUsd !== undefined && (costUsd ?? 0) >= budgetUsd) return `a cost of $${budgetUsd}`
  return limits.turns !== undefined && turns > limits.turns ? `${limits.turns} turns` : undefined
}
