import { z } from 'zod'

/** An amount in minor units (`"2500"` is $25.00), as a string to avoid rounding. */
export const moneyAmount = z.strictObject({
  amount: z.string().regex(/^(0|[1-9]\d{0,17})$/, 'minor units as digits without leading zeros'),
  currency: z.literal('USD'),
})
export type MoneyAmount = z.infer<typeof moneyAmount>

/** The cost limit of a session, at list prices. */
export const sessionBudget = z.strictObject({
  type: z.literal('limit'),
  max_list_cost: moneyAmount,
})
export type SessionBudget = z.infer<typeof sessionBudget>
