import { HOSTED_LIMITS, OFFLINE_MODEL } from '@steward/contract'
import { priceCall } from '@steward/models'
import { cleanText } from '../../output/clean-text.ts'
import { formatDuration } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import { formatDollars, formatMoney } from './money.ts'
import type { Session } from './types.ts'

export interface SessionBill {
  session: string
  model: string
  tokens: { input: number; output: number; cacheRead: number; cacheWrite: number }
  /** At list price; null if the model has none. */
  tokenDollars: number | null
  activeSeconds: number
  sessionHours: number
  hourDollars: number
  /** Without tokens if their price is unknown. */
  totalDollars: number
  /** Calls that ended without an answer are counted by what they probably used. */
  isEstimated: boolean
  /** The server's own figure, in cents, rounded up. */
  listCost: { amount: string; currency: string } | null
  budget: { amount: string; currency: string } | null
}

const NANO = 1e9
const HOUR_SECONDS = 3600

/** The cost of a session: its tokens, and $0.08 per hour of running. */
export const billOf = (session: Session, isEstimated = false): SessionBill => {
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
    isEstimated,
    listCost: usage.list_cost ?? null,
    budget: budget?.max_list_cost ?? null,
  }
}

const count = (tokens: number): string => tokens.toLocaleString('en-US')

/** The bill, one line per part. */
export const renderBill = (bill: SessionBill): string => {
  const { tokens, tokenDollars } = bill
  const cache =
    tokens.cacheRead + tokens.cacheWrite === 0
      ? ''
      : `, cache ${count(tokens.cacheRead)} read and ${count(tokens.cacheWrite)} written`
  const unpriced = tokenDollars === null ? ' and tokens whose price is not known' : ''
  const about = bill.isEstimated ? 'about ' : ''
  const why = bill.isEstimated ? '; calls without an answer are estimated' : ''
  const rows = [
    [
      'tokens',
      tokenDollars === null ? 'price unknown' : `${about}${formatDollars(tokenDollars)}`,
      `${count(tokens.input)} in, ${count(tokens.output)} out${cache}, ${cleanText(bill.model)}`,
    ],
    [
      'time',
      formatDollars(bill.hourDollars),
      `${formatDuration(bill.activeSeconds * 1000)} running, ${bill.sessionHours.toFixed(4)} h at $0.08`,
    ],
    ['together', `${about}${formatDollars(bill.totalDollars)}`, `at list prices${unpriced}${why}`],
  ]
  if (bill.listCost !== null)
    rows.push([
      'server',
      formatMoney(bill.listCost),
      'as the server counts it for the budget, cents rounded up',
    ])
  rows.push(['budget', bill.budget === null ? 'none' : formatMoney(bill.budget), shareOf(bill)])
  return formatTable(rows)
}

const shareOf = ({ budget, listCost }: SessionBill): string => {
  if (budget === null || listCost === null) return ''
  return `${Math.round((Number(listCost.amount) / Number(budget.amount)) * 100)} % used`
}
