import { InvalidArgumentError } from 'commander'
import { formatCost } from '../../output/format.ts'

interface Money {
  amount: string
  currency: string
}

const CENTS = 100
const MOST_DOLLARS = 1_000_000

/** `$25.00`, from minor units. */
export const formatMoney = ({ amount, currency }: Money): string => {
  const dollars = Number(amount) / CENTS
  return currency === 'USD' ? `$${dollars.toFixed(2)}` : `${dollars.toFixed(2)} ${currency}`
}

/** Parses dollars: whole cents above zero, in minor units. */
export const parseDollars = (text: string): string => {
  const dollars = Number(text.replace(/^\$/, ''))
  const cents = Math.round(dollars * CENTS)
  const isWhole = Math.abs(dollars * CENTS - cents) < 1e-6
  if (isWhole && cents >= 1 && dollars <= MOST_DOLLARS) return String(cents)
  throw new InvalidArgumentError('It must be an amount above 0, such as 2.50.')
}

/** A budget in the form that sessions take. */
export const budgetOf = (cents: string) => ({
  type: 'limit' as const,
  max_list_cost: { amount: cents, currency: 'USD' as const },
})

/** The smallest amount that four decimals can show. */
const LEAST = 0.0001

/** Like `formatCost`, but a used amount is never shown as free. */
export const formatDollars = (dollars: number): string => {
  if (dollars === 0) return '$0.00'
  return dollars < LEAST ? `under $${LEAST}` : formatCost(dollars)
}
