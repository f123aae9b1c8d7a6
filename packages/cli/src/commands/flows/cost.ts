import { destinationsOf, type FlowEntry, sourcesOf, unwrap } from '@steward/contract'
import { chooseProvider, readModelEnvironment } from '@steward/models'
import { Command, InvalidArgumentError } from 'commander'
import type { Io } from '../../io.ts'
import { withLocalRuntime } from '../../local-runtime/open-local.ts'
import { formatCost } from '../../output/format.ts'
import type { Paint } from '../../output/paint.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import {
  ASSUMED_ITEMS,
  type CostEstimate,
  estimateCost,
  type FlowMeasures,
  type PerDay,
} from './cost-estimate.ts'
import { measureFlow } from './cost-measure.ts'

const HELP = `
Examples:
  steward flows cost
  steward flows cost --budget 2 --json

The expected cost is that of the recent runs, repeated at their interval for a day. In the worst case
every found item is processed. Prices come from the history, else from the price table.
Warns above --budget, or execution.budgets.perDayUsd of settings.json.
`

export const createFlowsCostCommand = (io: Io): Command =>
  new Command('cost')
    .description('Estimate daily model calls and dollars per enabled flow')
    .option('--budget <usd>', 'warn above this many dollars per day', parseUsd)
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action((flags: { budget?: number; json?: true }) =>
      withLocalRuntime(io, async (steward) => {
        const { catalog, settings, environment, feeds } = steward
        const { fetch } = globalThis
        const choice = unwrap(
          await chooseProvider(unwrap(readModelEnvironment(environment)), { fetch }),
        )
        const enabled = catalog.flows.all().filter(({ flow }) => flow.schedule.enabled)
        const measured = await Promise.all(
          enabled.map(({ flow }) => measureFlow(steward, flow, choice)),
        )
        const hasFeeds = (await feeds.file.read()).some(({ enabled }) => enabled !== false)
        const flows = withArrivals(
          enabled.map(({ flow }) => flow),
          measured,
          hasFeeds,
        ).map(estimateCost)
        const budget = flags.budget ?? settings.execution.budgets.perDayUsd ?? null
        const report = {
          flows,
          total: {
            expected: sumOf(flows, 'expected'),
            worst: sumOf(flows, 'worst'),
          },
          budget,
          provider: choice.provider,
        }
        if (flags.json) printJson(io.out, { ...report, ...overOf(report.total, budget) })
        else io.out.write(renderCosts(report, io.out.paint))
        const { expectedOver, worstOver } = overOf(report.total, budget)
        if (!expectedOver && !worstOver) return
        const when = expectedOver ? 'the next day is likely' : 'in the worst case a day is likely'
        io.err.write(`${io.err.paint.yellow('warning:')} ${when} to cost more than $${budget}\n`)
      }),
    )

const sumOf = (flows: readonly CostEstimate[], key: 'expected' | 'worst'): PerDay => ({
  calls: flows.reduce((sum, flow) => sum + flow[key].calls, 0),
  usd: flows.reduce<number | null>((sum, flow) => {
    const { calls, usd } = flow[key]
    if (calls === 0) return sum
    return sum === null || usd === null ? null : sum + usd
  }, 0),
})

const overOf = (
  { expected, worst }: { expected: PerDay; worst: PerDay },
  budget: number | null,
): { expectedOver: boolean; worstOver: boolean } => ({
  expectedOver: budget !== null && (expected.usd ?? 0) > budget,
  worstOver: budget !== null && (worst.usd ?? 0) > budget,
})

const parseUsd = (text: string): number => {
  const usd = Number(text)
  if (text.trim() !== '' && Number.isFinite(usd) && usd > 0) return usd
  throw new InvalidArgumentError('It must be a number above 0.')
}

interface CostReport {
  flows: readonly CostEstimate[]
  total: { expected: PerDay; worst: PerDay }
  budget: number | null
  provider: string
}

/** The estimate for people: one line per flow, then possible savings. */
const renderCosts = ({ flows, total, provider }: CostReport, paint: Paint): string => {
  if (flows.length === 0) return 'no flow is enabled\n'
  const rows = flows.map((flow) => [
    flow.flow,
    `${Math.round(flow.intervalMinutes)} min`,
    `${tidy(flow.newPerRun)} of ${tidy(flow.itemsPerRun)}${flow.measured ? '' : ' (assumed)'}`,
    `${flow.fanOut === 'at most' ? 'at most ' : ''}${tidy(flow.callsPerItem)}${flow.fanOut === 'per element' ? ' (per element)' : ''}`,
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
      `assumed: the flow has not run here yet; using ${ASSUMED_ITEMS} items per run`,
    flows.some(({ fanOut }) => fanOut === 'at most') &&
      'at most: each list of an `each` step has as many elements as its `max` allows',
    flows.some(({ fanOut }) => fanOut === 'per element') &&
      'per element: an `each` step without `max` is counted for one element; add `max` for a limit',
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

/**
 * A flow that consumes a queue gets what other flows produce: if it never ran, their runs show how
 * much to expect. A poller without feeds sends nothing.
 */
export const withArrivals = (
  flows: readonly FlowEntry[],
  measures: readonly FlowMeasures[],
  hasFeeds: boolean,
): FlowMeasures[] =>
  measures.map((measured, index) => {
    const own = flows[index]
    const source = own && sourcesOf(own)[0]
    if (measured.runs > 0 || source?.type !== 'queue') return measured
    const senders = flows.flatMap((flow, at) => {
      const sends = destinationsOf(flow).some(
        (destination) => destination.type === 'queue' && destination.queue === source.queue,
      )
      return sends ? [itemsPerDay(flow, measures[at], hasFeeds)] : []
    })
    const known = senders.filter((items) => items !== null)
    if (known.length === 0 || known.length < senders.length) return measured
    const perDay = known.reduce((sum, items) => sum + items, 0)
    const perRun = (perDay * measured.intervalMinutes) / MINUTES_A_DAY
    return { ...measured, foundPerRun: perRun, newPerRun: perRun }
  })

const MINUTES_A_DAY = 1440

const itemsPerDay = (
  flow: FlowEntry,
  measured: FlowMeasures | undefined,
  hasFeeds: boolean,
): number | null => {
  if (sourcesOf(flow)[0].type === 'feeds' && !hasFeeds) return 0
  if (measured === undefined || measured.newPerRun === null) return null
  return (measured.newPerRun * MINUTES_A_DAY) / measured.intervalMinutes
}
