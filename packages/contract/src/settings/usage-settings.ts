import { z } from 'zod'
import { USAGE_ORIGINS } from '../api/usage.ts'

const BUDGET_PERIODS = ['day', 'week', 'month', 'session'] as const

const usageBudget = z.strictObject({
  usd: z.number().positive().meta({ description: 'The limit.' }),
  per: z.enum(BUDGET_PERIODS).default('day').meta({
    description: 'Days, weeks and months are those of the machine; `session` limits each session.',
  }),
  project: z.string().min(1).optional().meta({
    description: 'Only this folder and those below it, or projects whose path contains this.',
  }),
  assistant: z.enum(USAGE_ORIGINS).optional().meta({
    description: 'Only this assistant, or `runs`, `hosted` or `observers`.',
  }),
  flow: z.string().min(1).optional().meta({ description: 'Only runs of this flow.' }),
  stop: z.boolean().default(false).meta({
    description: 'At 100 %, refuse further tool calls of the sessions that spend it.',
  }),
})
export type UsageBudget = z.infer<typeof usageBudget>

const modelPrice = z.strictObject({
  input: z.number().nonnegative().meta({ description: 'USD per million tokens of input.' }),
  output: z.number().nonnegative().meta({ description: 'USD per million tokens of output.' }),
  cache_read: z.number().nonnegative().optional().meta({
    description:
      'USD per million tokens read from the prompt cache; without it, the usual part of `input`.',
  }),
})
export const modelPrices = z.record(z.string().min(1), modelPrice)
export type ModelPrices = z.infer<typeof modelPrices>

export const usageSettings = z.strictObject({
  budgets: z.array(usageBudget).default([]).meta({
    description: 'Limits in USD. You are warned at 80 % and notified at 100 %.',
  }),
  prices: modelPrices.default({}).meta({
    description:
      'Your own prices by model, which override or extend the list prices. A change recomputes the cost of earlier calls, too.',
  }),
})
