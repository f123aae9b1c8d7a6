import { LIMITS, type RecordedError, StewardError, toStewardError } from '@steward/contract'
import {
  destinationKeys,
  type FlowItem,
  failureOfGiven,
  giveUpAfterMs,
  type ItemLedger,
  type ItemOutcome,
  type LedgerEntry,
  type LedgerState,
  NO_SPEND,
  recordError,
  type WorkedItems,
  workItems,
} from '@steward/engine'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import { deliverItem, type ItemWork, keysOf, pipeItem, type WorkedItem } from './work-item.ts'

/** Works on the items of a run; each is a step of the run's record, after the source. */
export const runFlowItems = async (
  run: FlowRun,
  todo: readonly { item: FlowItem; index: number }[],
  entries: ReadonlyMap<string, LedgerEntry>,
  ledger: ItemLedger,
  ports: FlowPorts,
  { collects = false, action = 'item' }: { collects?: boolean; action?: 'item' | 'digest' } = {},
): Promise<WorkedItems> => {
  const { runId, loaded, earlier, pipelineHash, options } = run
  const { flow } = loaded
  const { now, random, runner } = ports
  const worked = new Map<string, WorkedItem>()
  const destinations = destinationKeys(flow)
  const workOf = (item: FlowItem): ItemWork => ({
    flow,
    item,
    flowRunId: runId,
    ...keysOf(flow, item, pipelineHash),
    again: earlier !== undefined || entries.get(item.id)?.output != null,
    now,
    options,
  })
  const stepOf = (position: number): number => (todo[position]?.index ?? position) + 1

  return workItems(
    todo.map(({ item }) => item),
    entries,
    {
      ledger,
      runId,
      now,
      random,
      concurrency: flow.concurrency ?? LIMITS.flowConcurrency,
      destinations,
      collects,
      giveUpAfterMs: giveUpAfterMs(flow),
      isScheduled: options.isScheduled === true,
      obstacle: () => undefined,
      onStart: (item, position) => startStep(run, item, stepOf(position), ports, action),
      process: async (item) => {
        const { output, ...piped } = await pipeItem(workOf(item), runner)
        worked.set(item.id, piped)
        return output
      },
      deliver: async (item, output, place) => {
        const { receipt, runs } = await deliverItem(workOf(item), output, place, runner, ports)
        const { runs: earlierRuns = [], receipts, ...rest } = worked.get(item.id) ?? {}
        const got =
          destinations.length === 1
            ? { receipt }
            : { receipts: { ...receipts, [String(place + 1)]: receipt } }
        worked.set(item.id, { ...rest, runs: [...earlierRuns, ...runs], ...got })
      },
      onEnd: async (item, position, outcome) => {
        const title = item.title ?? item.id
        const message =
          'error' in outcome
            ? `${outcome.kind}: ${title}: ${outcome.error.message}`
            : `${outcome.kind}: ${title}`
        const result =
          'error' in outcome ? { error: outcome.error } : { output: { ...worked.get(item.id) } }
        await endStep(run, stepOf(position), result, ports)
        options.onProgress?.({ kind: 'note', runId, message })
      },
      toFailure: (thrown) => {
        options.signal?.throwIfAborted()
        const failure = toStewardError(thrown)
        // The item is worked on elsewhere, so this run cannot decide it.
        if (failure.code === 'run_active') throw failure
        return run.item === undefined ? failure : failureOfGiven(failure)
      },
    },
  )
}

/** Ends the step of an item that an earlier attempt of this run settled. */
export const endKnownItem = async (
  run: FlowRun,
  item: FlowItem,
  index: number,
  known: LedgerState | undefined,
  ports: FlowPorts,
): Promise<ItemOutcome> => {
  await startStep(run, item, index + 1, ports)
  const kind = settledKind(known)
  if (kind !== undefined) {
    await endStep(run, index + 1, { output: {} }, ports)
    return { kind }
  }
  const error =
    known?.error ??
    recordError(new StewardError('internal', { reason: 'its error was not stored' }))
  await endStep(run, index + 1, { error }, ports)
  return { kind: known?.state === 'rejected' ? 'rejected' : 'given-up', item: item.id, error }
}

/** How an item ended that did not fail; its output may wait for a digest. */
export const settledKind = (
  known: LedgerState | undefined,
): 'delivered' | 'filtered' | 'collected' | undefined => {
  switch (known?.state) {
    case 'filtered':
      return 'filtered'
    case 'processed':
    case 'waiting':
      return 'collected'
    case undefined:
    case 'delivered':
      return 'delivered'
    default:
      return undefined
  }
}

const startStep = (
  { runId }: FlowRun,
  { id, title }: FlowItem,
  index: number,
  { history, now }: FlowPorts,
  action = 'item',
): Promise<void> => {
  const next = { index, action, startedAt: now(), input: { id, title } }
  return history.advance({ runId, next })
}

export type StepResult = { output: Record<string, unknown> } | { error: RecordedError }

export const endStep = (
  { runId }: FlowRun,
  index: number,
  outcome: StepResult,
  { history, now }: FlowPorts,
): Promise<void> => {
  const done = { index, endedAt: now(), outcome, spend: NO_SPEND, isolation: null }
  return history.advance({ runId, done })
}
