import { formatCost } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { formatTable } from '../../output/table.ts'
import { ASSUMED_ITEMS, type CostEstimate, type PerDay } from './cost-estimate.ts'

export interface CostReport {
  flows: readonly CostEstimate[]
  total: { expected: PerDay; worst: PerDay }
  budget: number | null
  provider: string
}

/** The estimate for people: a line a flow, then what would make it less. */
export const renderCosts = ({ flows, total, provider }: CostReport, paint: Paint): string => {
  if (flows.length === 0) return 'no flow is enabled\n'
  const rows = flows.map((flow) => [
    flow.flow,
    `${flow.intervalMinutes} min`,
    `${tidy(flow.newPerRun)} of ${tidy(flow.itemsPerRun)}${flow.measured ? '' : ' (assumed)'}`,
    tidy(flow.callsPerItem),
    perDay(flow.expected),
    perDay(flow.worst),
  ])
  const head = ['flow', 'every', 'new items a run', 'calls an item', 'expected a day', 'worst case']
  const table = formatTable([
    head.map(paint.dim),
    ...rows,
    ['together', '', '', '', perDay(total.expected), perDay(total.worst)],
  ])
  const notes = [
    flows.some(({ measured }) => !measured) &&
      `assumed: the flow has not run here yet, and ${ASSUMED_ITEMS} items a run are taken`,
    provider === 'offline' && 'prices: the offline model is free; with LLM_API_KEY set it is not',
  ].filter((note) => note !== false)
  return [
    table,
    ...notes.map((note) => `${paint.dim(note)}\n`),
    ...flows.flatMap((flow) => renderMitigations(flow, paint)),
  ].join('')
}

const renderMitigations = ({ flow, mitigations }: CostEstimate, paint: Paint): string[] => {
  if (mitigations.length === 0) return []
  return [
    `${paint.bold(flow)} would be less by:\n`,
    ...mitigations.map(({ what, saves }) => `  ${what}: ${perDay(saves)} a day\n`),
  ]
}

const perDay = ({ calls, usd }: PerDay): string => {
  const parts = [
    calls > 0 && `${calls.toLocaleString('en-US')} calls`,
    calls === 0 && usd === 0 ? 'nothing' : formatCost(usd),
  ]
  return parts.filter(Boolean).join(', ')
}

const tidy = (value: number): string => String(Math.round(value * 10) / 10)
