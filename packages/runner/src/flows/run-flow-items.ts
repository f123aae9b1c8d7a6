import { LIMITS, type RecordedError, StewardError, toStewardError } from '@steward/contract'
import {
  type FlowItem,
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
): Promise<WorkedItems> => {
  const { runId, loaded, earlier, pipelineHash, options } = run
  const { flow } = loaded
  const { now, random, runner } = ports
  const worked = new Map<string, Partial<WorkedItem> & { runs: string[] }>()
  const workOf = (item: FlowItem): ItemWork => ({
    flow,
    item,
    flowRunId: runId,
    ...keysOf(flow.id, item, pipelineHash),
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
      giveUpAfterMs: giveUpAfterMs(flow),
      isScheduled: options.isScheduled === true,
      obstacle: () => undefined,
      onStart: (item, position) => startStep(run, item, stepOf(position), ports),
      process: async (item) => {
        const { output, ...piped } = await pipeItem(workOf(item), runner)
        worked.set(item.id, piped)
        return output
      },
      deliver: async (item, output) => {
        const { receipt, runs } = await deliverItem(workOf(item), output, runner, ports)
        const piped = worked.get(item.id)
        worked.set(item.id, { ...piped, runs: [...(piped?.runs ?? []), ...runs], receipt })
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
        return failure
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
  if (known === undefined || known.state === 'delivered' || known.state === 'filtered') {
    await endStep(run, index + 1, { output: {} }, ports)
    return { kind: known?.state === 'filtered' ? 'filtered' : 'delivered' }
  }
  const error =
    known.error ?? recordError(new StewardError('internal', { reason: 'its error was not stored' }))
  await endStep(run, index + 1, { error }, ports)
  return { kind: known.state === 'rejected' ? 'rejected' : 'given-up', item: item.id, error }
}

const startStep = (
  { runId }: FlowRun,
  { id, title }: FlowItem,
  index: number,
  { history, now }: FlowPorts,
): Promise<void> => {
  const next = { index, action: 'item', startedAt: now(), input: { id, title } }
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
