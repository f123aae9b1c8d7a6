import { HOSTED_LIMITS, type SessionBudget, type SessionUsage } from '@steward/contract'
import type { SessionSummary } from '../../log/summary.ts'

/** The cost of a session, tokens plus running time, in billionths of a dollar. */
export interface SessionCost {
  tokenNanoDollars: number
  activeMs: number
  activeNanoDollars: number
  totalNanoDollars: number
  /** A model without a known price was called, so the total is a lower bound. */
  unpriced: boolean
}

const HOUR_MS = 3_600_000
const NANO_PER_CENT = 10_000_000

/** The cost up to a moment, including the running time so far, to the millisecond. */
export const costOfSession = (summary: SessionSummary, nowMs: number): SessionCost => {
  const { tokenNanoDollars, runningSinceMs, unpriced } = summary
  const running = runningSinceMs === null ? 0 : Math.max(0, nowMs - runningSinceMs)
  const activeMs = summary.activeMs + running
  const activeNanoDollars = Math.round((activeMs * HOSTED_LIMITS.sessionHourNanoDollars) / HOUR_MS)
  return {
    tokenNanoDollars,
    activeMs,
    activeNanoDollars,
    totalNanoDollars: tokenNanoDollars + activeNanoDollars,
    unpriced,
  }
}

/**
 * `usage` of a session as clients see it. Cents are rounded up, so that the real cost is never
 * higher. The cost is left out if a model without a known price was called.
 */
export const usageOfSession = (summary: SessionSummary, nowMs: number): SessionUsage => {
  const { totalNanoDollars, activeMs, unpriced } = costOfSession(summary, nowMs)
  const amount = String(Math.ceil(totalNanoDollars / NANO_PER_CENT))
  return {
    input_tokens: summary.inputTokens,
    output_tokens: summary.outputTokens,
    cache_read_input_tokens: summary.cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: summary.cacheWrite5mTokens,
      ephemeral_1h_input_tokens: summary.cacheWrite1hTokens,
    },
    ...(unpriced ? {} : { list_cost: { amount, currency: 'USD' } }),
    active_seconds: activeMs / 1000,
    server_tool_use: {
      web_fetch_requests: summary.webFetches,
      web_search_requests: summary.webSearches,
    },
  }
}

/** `usage` of one thread: its own tokens, and no price for the time, which is the session's. */
export const usageOfThread = (summary: SessionSummary, nowMs: number): SessionUsage => {
  const { delegated } = summary
  const own: SessionSummary = delegated
    ? {
        ...summary,
        inputTokens: summary.inputTokens - delegated.inputTokens,
        outputTokens: summary.outputTokens - delegated.outputTokens,
        cacheReadTokens: summary.cacheReadTokens - delegated.cacheReadTokens,
        cacheWrite5mTokens: summary.cacheWrite5mTokens - delegated.cacheWrite5mTokens,
        cacheWrite1hTokens: summary.cacheWrite1hTokens - delegated.cacheWrite1hTokens,
        webSearches: summary.webSearches - delegated.webSearches,
        webFetches: summary.webFetches - delegated.webFetches,
        tokenNanoDollars: summary.tokenNanoDollars - delegated.nanoDollars,
      }
    : summary
  const { list_cost: _, ...usage } = usageOfSession(own, nowMs)
  const amount = String(Math.ceil(own.tokenNanoDollars / NANO_PER_CENT))
  return { ...usage, ...(own.unpriced ? {} : { list_cost: { amount, currency: 'USD' } }) }
}

/**
 * Whether a session may not call models any more. Budgets cannot limit models without a known
 * price.
 */
export const isOverBudget = (
  summary: SessionSummary,
  budget: SessionBudget | null,
  nowMs: number,
): boolean => {
  if (budget === null) return false
  const { totalNanoDollars, unpriced } = costOfSession(summary, nowMs)
  return unpriced || totalNanoDollars >= Number(budget.max_list_cost.amount) * NANO_PER_CENT
}
