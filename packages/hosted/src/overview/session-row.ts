import { type SessionRow, stopReason, type WaitingCall } from '@steward/contract'
import { costOfSession } from '../brain/cost/session-cost.ts'
import { toInstant, toInstantOrNull } from '../database/instant.ts'
import type { StoredSession } from '../log/stored-session.ts'

const NANO = 1e9
const CENTS = 100

/** A session as a list shows it, with its cost so far. */
export const toSessionRow = (
  session: StoredSession,
  waiting: readonly WaitingCall[],
  nowMs: number,
): SessionRow => {
  const { body, summary } = session
  const cost = costOfSession(summary, nowMs)
  const { agent, budget } = body
  return {
    id: session.id,
    title: body.title,
    agent: { id: agent.id, name: agent.name, version: agent.version },
    model: agent.model.id,
    environmentId: session.environmentId,
    status: summary.status,
    stopReason: stopReason.safeParse(summary.stopReason).data?.type ?? null,
    waiting: [...waiting],
    tokens: {
      input: summary.inputTokens,
      output: summary.outputTokens,
      cacheRead: summary.cacheReadTokens,
      cacheWrite: summary.cacheWrite5mTokens + summary.cacheWrite1hTokens,
    },
    cost: {
      tokenUsd: cost.tokenNanoDollars / NANO,
      timeUsd: cost.activeNanoDollars / NANO,
      totalUsd: cost.totalNanoDollars / NANO,
      isLowerBound: cost.unpriced,
      isEstimated: summary.estimated,
    },
    activeMs: cost.activeMs,
    budgetUsd: budget === null ? null : Number(budget.max_list_cost.amount) / CENTS,
    createdAt: toInstant(session.createdMs),
    updatedAt: toInstant(session.updatedMs),
    archivedAt: toInstantOrNull(session.archivedMs),
  }
}
