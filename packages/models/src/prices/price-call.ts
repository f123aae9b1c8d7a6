import { priceOf } from './cost.ts'
import { PRICES, type Price, type PriceTable } from './price-table.ts'

/** Tokens of one call as vendors bill them; none is counted twice. */
export interface CallTokens {
  /** Without what was read from or written to the prompt cache. */
  input: number
  output: number
  cacheRead: number
  cacheWrite5m: number
  cacheWrite1h: number
}

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

/**
 * The list price of calls in billionths of a dollar; `null` for a model without a known price. What it
 * knows about a model is looked up once.
 */
export const createPricer = (
  prices: PriceTable = PRICES,
): ((model: string, tokens: CallTokens) => number | null) => {
  const known = new Map<string, Price | undefined>()
  return (model, tokens) => {
    let price = known.get(model)
    if (price === undefined && !known.has(model)) {
      price = priceOf(model, prices)
      if (known.size >= MOST_MODELS) known.clear()
      known.set(model, price)
    }
    return price === undefined ? null : priceTokens(model, price, tokens)
  }
}
const MOST_MODELS = 1000

const priceTokens = (model: string, price: Price, tokens: CallTokens): number => {
  const { input, output, cacheRead, cacheWrite5m, cacheWrite1h } = tokens
  const prompt = input + cacheRead + cacheWrite5m + cacheWrite1h
  const rate = price.above && prompt > price.above.inputTokens ? price.above : price
  const cache = model.startsWith('claude-') ? ANTHROPIC : OTHERS
  const readRate = price.cacheRead ?? cache.read * rate.input
  const charged = input + cacheWrite5m * cache.write5m + cacheWrite1h * cache.write1h
  const perMillion = charged * rate.input + cacheRead * readRate + output * rate.output
  return Math.round(perMillion * NANO_PER_TOKEN)
}

/** The list price of one call; `createPricer` is faster for many. */
export const priceCall = (
  model: string,
  tokens: CallTokens,
  prices: PriceTable = PRICES,
): number | null => {
  const price = priceOf(model, prices)
  return price === undefined ? null : priceTokens(model, price, tokens)
}
