import type { SessionSpend } from '@steward/contract'
import { cleanText } from '../../output/clean-text.ts'
import { formatCost } from '../../output/format.ts'
import { formatTokens, formatUsageCost } from '../../output/format-usage.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'

type Part = SessionSpend['parts'][number]

/** Tokens and cost of a session by model and agent, and where each figure comes from. */
export const renderSpend = (
  { total, projected_usd, parts }: SessionSpend,
  paint: Pick<Paint, 'dim'>,
): string => {
  const heads = ['model', 'agent', 'input', 'output', 'cache read', 'cache write', 'cost', '']
  const rows = parts.map((part) => [
    cleanText(part.model),
    part.subagent === null ? 'main' : cleanText(part.subagent).slice(0, AGENT_CHARS),
    ...formatTokens(part),
    formatUsageCost(part),
    paint.dim(describeOrigin(part)),
  ])
  const soon = projected_usd === undefined ? '' : `${formatCost(projected_usd)} in 1 h`
  const sum = ['total', '', ...formatTokens(total), formatUsageCost(total), soon]
  return formatTable([heads.map(paint.dim), ...rows, sum])
}

const AGENT_CHARS = 12
const SOURCES: Record<Part['source'], string> = {
  record: '',
  logs: 'from telemetry logs',
  metrics: 'from telemetry metrics',
  rest: 'from session totals',
}

const describeOrigin = ({ source, reported_usd, computed_usd }: Part): string => {
  const price = [
    reported_usd > 0 ? 'reported' : '',
    computed_usd > 0 ? 'list price' : '',
    SOURCES[source],
  ]
  return price.filter(Boolean).join(', ')
}
