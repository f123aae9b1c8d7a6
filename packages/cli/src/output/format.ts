import type { Spend } from '@steward/contract'

/** `340 ms`, `2.4 s`, `3 min 20 s`. */
export const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `1,204 tokens, $0.0021`; nothing when no model was asked. */
export const formatSpend = (spend: Spend): string => {
  if (spend.calls === 0) return ''
  const tokens = spend.inputTokens + spend.outputTokens
  return `${tokens.toLocaleString('en-US')} tokens, ${formatCost(spend.cost)}`
}

/** `free`, `$0.0021`, or that the price is not known. */
export const formatCost = (cost: number | null): string => {
  if (cost === null) return 'price unknown'
  if (cost === 0) return 'free'
  return cost < 0.01 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`
}

/** `2026-01-31 09:15:02` in the person's own time zone. */
export const formatTime = (iso: string): string => {
  const date = new Date(iso)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
