import { HOSTED_LIMITS, OFFLINE_MODEL } from '@steward/contract'
import { priceCall } from '@steward/hosted'
import type { Session } from './types.ts'

export interface SessionBill {
  session: string
  model: string
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number }
  /** At list price; null for a model without one. */
  tokenDollars: number | null
  activeSeconds: number
  sessionHours: number
  hourDollars: number
  /** Without the tokens when their price is not known. */
  totalDollars: number
  /** What the server itself says, in cents, rounded up. */
  listCost: { amount: string; currency: string } | null
  budget: { amount: string; currency: string } | null
}

const NANO = 1e9
const HOUR_SECONDS = 3600

/** What a session has cost: its tokens, and $0.08 for each hour in which it ran. */
export const billOf = (session: Session): SessionBill => {
  const { usage, agent, budget } = session
  const creation = usage.cache_creation
  const spent = {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite5m: creation?.ephemeral_5m_input_tokens ?? 0,
    cacheWrite1h: creation?.ephemeral_1h_input_tokens ?? 0,
  }
  const nano = agent.model.id === OFFLINE_MODEL ? 0 : priceCall(agent.model.id, spent)
  const tokenDollars = nano === null ? null : nano / NANO
  const activeSeconds = usage.active_seconds ?? 0
  const sessionHours = activeSeconds / HOUR_SECONDS
  const hourDollars = (sessionHours * HOSTED_LIMITS.sessionHourNanoDollars) / NANO
  return {
    session: session.id,
    model: agent.model.id,
    tokens: {
      input: spent.input,
      output: spent.output,
      cacheRead: spent.cacheRead,
      cacheWrite: spent.cacheWrite5m + spent.cacheWrite1h,
    },
    tokenDollars,
    activeSeconds,
    sessionHours,
    hourDollars,
    totalDollars: (tokenDollars ?? 0) + hourDollars,
    listCost: usage.list_cost ?? null,
    budget: budget?.max_list_cost ?? null,
  }
}
