import {
  isStorageCode,
  type RecordedError,
  type StewardError,
  toStewardError,
} from '@steward/contract'
import {
  type FlowItem,
  type ItemOutcome,
  isRejection,
  NO_SPEND,
  recordError,
} from '@steward/engine'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import { type WorkedItem, workItem } from './work-item.ts'

/** Errors of ours rather than of the item: the run stops and can be resumed. */
const isOurs = (code: string): boolean => isStorageCode(code) || code === 'run_active'

/**
 * One item as one step of the flow's run. `spent`: the budget is used up, so the run cannot
 * continue.
 */
export const runFlowItem = async (
  { runId, loaded, earlier, options }: FlowRun,
  item: FlowItem,
  index: number,
  ports: FlowPorts,
): Promise<ItemOutcome | { spent: StewardError }> => {
  const { flow } = loaded
  const { history, now, seen, runner } = ports
  const step = index + 1
  const note = (message: string) => options.onProgress?.({ kind: 'note', runId, message })
  const end = (outcome: { output: WorkedItem } | { error: RecordedError }) => {
    const result = 'output' in outcome ? { output: { ...outcome.output } } : outcome
    const done = { index: step, endedAt: now(), outcome: result, spend: NO_SPEND, isolation: null }
    return history.advance({ runId, done })
  }

  const input = { id: item.id, title: item.title }
  await history.advance({ runId, next: { index: step, action: 'item', startedAt: now(), input } })
  const again = earlier !== undefined || seen.look(flow.id, item.id).attempts > 0
  const work = { flow, item, flowRunId: runId, key: `${runId}/${index}`, again, now, options }
  const title = item.title ?? item.id
  const seenBy = () => ({ id: runId, at: now() })
  try {
    const output = await workItem(work, runner, ports)
    // Both are requested in the same tick, so they share a commit: an item is never delivered
    // without being marked as seen.
    await Promise.all([end({ output }), seen.mark(flow.id, item.id, 'delivered', seenBy())])
    note(`delivered: ${title}`)
    return { kind: 'delivered' }
  } catch (thrown) {
    options.signal?.throwIfAborted()
    const failure = toStewardError(thrown)
    if (isOurs(failure.code)) throw failure
    const error = recordError(failure)
    if (failure.code === 'budget_exceeded') {
      await end({ error })
      return { spent: failure }
    }
    const kind = isRejection(failure) ? 'rejected' : 'failed'
    await Promise.all([end({ error }), seen.mark(flow.id, item.id, kind, seenBy())])
    note(`${kind}: ${title}: ${failure.message}`)
    return { kind, item: item.id, error }
  }
}
