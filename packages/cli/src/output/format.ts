import type { Spend } from '@steward/contract'

export { formatDuration, formatTime } from '@steward/platform'

/** `1,204 tokens, $0.0021`; empty if no model was called. */
export const formatSpend = (spend: Spend): string => {
  if (spend.calls === 0) return ''
  const tokens = spend.inputTokens + spend.outputTokens
  return `${tokens.toLocaleString('en-US')} tokens, ${formatCost(spend.cost)}`
}

/** `free`, `$0.0021`, or that the price is unknown. */
export const formatCost = (cost: number | null): string => {
  if (cost === null) return 'price unknown'
  if (cost === 0) return 'free'
  return cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`
}

/** Quotes a word for a shell. */
export const quoteWord = (word: string): string =>
  /^[\w./@:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
