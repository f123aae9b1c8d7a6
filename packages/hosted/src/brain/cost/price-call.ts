import { PRICES } from '@steward/models'
import type { ModelBill } from '../../log/summary.ts'
import type { ModelTokens } from '../models/model.ts'

/** Parts of the input price that a vendor takes for its prompt cache. */
interface CachePrices {
  read: number
  write5m: number
  write1h: number
}

const ANTHROPIC: CachePrices = { read: 0.1, write5m: 1.25, write1h: 2 }
/** Discounts of others are not taken off, so that a bill is never higher than what is shown. */
const OTHERS: CachePrices = { read: 1, write5m: 1, write1h: 1 }

/** A dollar a million tokens is a thousand billionths of a dollar a token. */
const NANO_PER_TOKEN = 1000

/** What a call cost at list price; `null` for a model without one. */
export const priceCall = (model: string, tokens: ModelTokens): number | null => {
  // A dated snapshot costs what its family does.
  const family = model.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, '')
  const name = [model, family].find((candidate) => Object.hasOwn(PRICES, candidate))
  const price = name === undefined ? undefined : PRICES[name]
  if (price === undefined) return null
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = tokens
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h
  const rate = price.above && prompt > price.above.inputTokens ? price.above : price
  const cache = model.startsWith('claude-') ? ANTHROPIC : OTHERS
  const charged =
    input + cacheRead * cache.read + cacheWrite5m * cache.write5m + cacheWrite1h * cache.write1h
  return Math.round((charged * rate.input + output * rate.output) * NANO_PER_TOKEN)
}

export const billCall = (model: string, tokens: ModelTokens, free: boolean): ModelBill => ({
  inputTokens: tokens.input,
  outputTokens: tokens.output,
  cacheReadTokens: tokens.cacheRead,
  cacheWrite5mTokens: tokens.cacheWrite5m,
  cacheWrite1hTokens: tokens.cacheWrite1h,
  nanoDollars: free ? 0 : priceCall(model, tokens),
})
