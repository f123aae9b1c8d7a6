import { PRICES } from '@steward/models'
import type { ModelBill } from '../../log/summary.ts'
import type { ModelTokens } from '../models/model.ts'

/** Factors on the input price that a vendor charges for its prompt cache. */
interface CachePrices {
  read: number
  write5m: number
  write1h: number
}

const ANTHROPIC: CachePrices = { read: 0.1, write5m: 1.25, write1h: 2 }
/**
 * Cache discounts of other vendors are ignored, so that the real bill is never higher than shown.
 */
const OTHERS: CachePrices = { read: 1, write5m: 1, write1h: 1 }

/** One dollar per million tokens is a thousand billionths of a dollar per token. */
const NANO_PER_TOKEN = 1000

/** The list price of a call; `null` for a model without a known price. */
export const priceCall = (model: string, tokens: ModelTokens): number | null => {
  // A dated snapshot costs the same as its model family.
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
