import type { FlowEntry } from '@steward/contract'
import type { FlowMeasures } from './cost-estimate.ts'

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
    const source = flows[index]?.source
    if (measured.runs > 0 || source?.type !== 'queue') return measured
    const senders = flows.flatMap((flow, at) => {
      const { destination } = flow
      const sends = destination.type === 'queue' && destination.queue === source.queue
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
  { source }: FlowEntry,
  measured: FlowMeasures | undefined,
  hasFeeds: boolean,
): number | null => {
  if (source.type === 'feeds' && !hasFeeds) return 0
  if (measured === undefined || measured.newPerRun === null) return null
  return (measured.newPerRun * MINUTES_A_DAY) / measured.intervalMinutes
}
