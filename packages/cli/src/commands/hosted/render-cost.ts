import { cleanText } from '../../output/clean-text.ts'
import { formatDuration } from '../../output/format.ts'
import { formatTable } from '../../output/table.ts'
import { formatDollars, formatMoney } from './money.ts'
import type { SessionBill } from './session-cost.ts'

const count = (tokens: number): string => tokens.toLocaleString('en-US')

/** The bill, a line a part. */
export const renderBill = (bill: SessionBill): string => {
  const { tokens, tokenDollars } = bill
  const cache =
    tokens.cacheRead + tokens.cacheWrite === 0
      ? ''
      : `, cache ${count(tokens.cacheRead)} read and ${count(tokens.cacheWrite)} written`
  const unpriced = tokenDollars === null ? ' and tokens whose price is not known' : ''
  const rows = [
    [
      'tokens',
      tokenDollars === null ? 'price unknown' : formatDollars(tokenDollars),
      `${count(tokens.input)} in, ${count(tokens.output)} out${cache}, ${cleanText(bill.model)}`,
    ],
    [
      'time',
      formatDollars(bill.hourDollars),
      `${formatDuration(bill.activeSeconds * 1000)} running, ${bill.sessionHours.toFixed(4)} h at $0.08`,
    ],
    ['together', formatDollars(bill.totalDollars), `at list prices${unpriced}`],
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
