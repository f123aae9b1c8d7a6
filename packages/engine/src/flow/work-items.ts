import type { StewardError } from '@steward/contract'
import { classifyFailure } from './classify-failure.ts'
import { createDelivering } from './deliver-items.ts'
import type { FlowItem } from './item.ts'
import type { LedgerEntry } from './ledger-rows.ts'
import { createProcessing, type Processed } from './process-items.ts'
import { runItems } from './run-items.ts'
import type { ItemOutcome } from './summary.ts'
import type { ItemSteps, WorkedItems, WorkPorts } from './work-ports.ts'

/**
 * Runs items through the pipeline, several at a time, and delivers the outputs in the order of the
 * items unless several may be delivered at once. An output is stored before its delivery, so that a
 * failed delivery is retried without the pipeline. While a destination is down, items are still
 * processed and then wait for it.
 */
export const workItems = async (
  items: readonly FlowItem[],
  entries: ReadonlyMap<string, LedgerEntry>,
  ports: WorkPorts,
): Promise<WorkedItems> => {
  const steps = createSteps(ports)
  const processing = createProcessing(entries, steps, ports)
  const delivering = createDelivering(entries, steps, ports)
  const processed = items.map(() => Promise.withResolvers<Processed>())
  const outcomes: ItemOutcome[] = []
  /** Why the run itself had to stop. */
  let broken: { thrown: unknown } | undefined

  const deliverAll = async (): Promise<void> => {
    // Outputs of items before the one at which processing broke are still delivered.
    let isOver = false
    await runItems(items, ports.deliveries ?? 1, async (item, index) => {
      if (isOver) return
      try {
        const result = await processed[index]?.promise
        if (result === undefined) return
        outcomes[index] =
          'outcome' in result
            ? result.outcome
            : await delivering.deliverOne(item, index, result.output)
      } catch (thrown) {
        isOver = true
        broken ??= { thrown }
      }
    })
    if (broken !== undefined) throw broken.thrown
  }

  for (const { promise } of processed) promise.catch(() => undefined)
  const delivered = deliverAll()
  // It is awaited below; it may fail while items are still processed.
  delivered.catch(() => undefined)
  await runItems(items, ports.concurrency, async (item, index) => {
    // Deliveries may wait for any item.
    if (broken !== undefined) return processed[index]?.reject(broken.thrown)
    try {
      processed[index]?.resolve(await processing.processOne(item, index))
    } catch (thrown) {
      broken ??= { thrown }
      processed[index]?.reject(thrown)
    }
  })
  await delivered
  const [, decided] = await Promise.all([delivering.holdAll(), processing.decideUnfit()])
  for (const [index, outcome] of decided) outcomes[index] = outcome
  return { outcomes, blocked: blockOf(processing.stop()) ?? blockOf(delivering.stop()) }
}

const createSteps = (ports: WorkPorts): ItemSteps => {
  const starting = new Map<number, Promise<void>>()
  return {
    start: (item, index) => {
      const begun = starting.get(index) ?? ports.onStart(item, index)
      starting.set(index, begun)
      return begun
    },
    hasStarted: (index) => starting.has(index),
    settle: async (item, index, change, outcome) => {
      const run = { runId: ports.runId, atMs: ports.now() }
      await Promise.all([
        ports.ledger.change(item.id, change, run),
        ports.onEnd(item, index, outcome),
      ])
      return outcome
    },
  }
}

/** A used-up budget is not an error of the configuration. */
const blockOf = (error: StewardError | undefined): StewardError | undefined =>
  error !== undefined && classifyFailure(error) === 'limit' ? undefined : error
