import { type JsonObject, LIMITS, type RecordedError, type StewardError } from '@steward/contract'
import { classifyDeliveryFailure, classifyFailure } from './classify-failure.ts'
import type { FlowItem } from './item.ts'
import type { ItemLedger, LedgerChange, LedgerEntry } from './item-ledger.ts'
import { nextAttempt } from './next-attempt.ts'
import { recordError } from './record-error.ts'
import { runItems } from './run-items.ts'
import type { ItemOutcome } from './summary.ts'

export interface WorkPorts {
  ledger: Pick<ItemLedger, 'change' | 'changeAll'>
  runId: string
  now: () => number
  random: () => number
  concurrency: number
  /** How many outputs are delivered at once; 1, the default, keeps their order. */
  deliveries?: number
  giveUpAfterMs: number
  /** A scheduled run waits for the planned time of the next attempt; a person's run does not. */
  isScheduled: boolean
  /** Why no further item may be started in this run. */
  obstacle: (item: FlowItem) => StewardError | undefined
  /** Called before the first work on an item. */
  onStart: (item: FlowItem, index: number) => Promise<void>
  /** Runs the pipeline; `onProcessed` follows when the output is stored. */
  process: (item: FlowItem, index: number) => Promise<JsonObject>
  onProcessed?: (item: FlowItem) => void
  deliver: (item: FlowItem, output: JsonObject, index: number) => Promise<void>
  /** Called in the same turn as the ledger's change, so that both can share a commit. */
  onEnd: (item: FlowItem, index: number, outcome: ItemOutcome) => Promise<void>
  /** The error of an item. Throws if the run itself must stop. */
  toFailure: (thrown: unknown) => StewardError
}

export interface WorkedItems {
  outcomes: ItemOutcome[]
  /** The error of the configuration that stopped the run. */
  blocked: StewardError | undefined
}

/** After this many failures in a row, the destination counts as down even for suspicious items. */
const FAILURES_UNTIL_DOWN = 3
/** An item that failed in this many runs may itself be the reason, so it stops blocking others. */
const ATTEMPTS_UNTIL_SUSPICIOUS = 3
/** Items that do not fit the pipeline, before any did: the pipeline is wrong. */
const UNFIT_UNTIL_BLOCKED = 3

type Processed = { output: JsonObject } | { outcome: ItemOutcome }

/**
 * Runs items through the pipeline, several at a time, and delivers the outputs in the order of the
 * items unless several may be delivered at once. An output is stored before its delivery, so that a failed delivery is retried without the
 * pipeline. While the destination is down, items are still processed and then wait.
 */
export const workItems = async (
  items: readonly FlowItem[],
  entries: ReadonlyMap<string, LedgerEntry>,
  ports: WorkPorts,
): Promise<WorkedItems> => {
  const { ledger, now, runId } = ports
  const run = () => ({ runId, atMs: now() })
  const unfit: { item: FlowItem; index: number; error: StewardError }[] = []
  const held: string[] = []
  const overdue: string[] = []
  const processed = items.map(() => Promise.withResolvers<Processed>())
  const outcomes: ItemOutcome[] = []
  const starting = new Map<number, Promise<void>>()
  let hasPassed = false
  /** Why the run itself had to stop. */
  let broken: { thrown: unknown } | undefined
  let noProcessing: StewardError | undefined
  let noDelivery: StewardError | undefined
  let down:
    | { error: RecordedError; atMs: number; notBeforeMs: number | null; tried: boolean }
    | undefined
  let misses = 0

  const start = (item: FlowItem, index: number): Promise<void> => {
    const begun = starting.get(index) ?? ports.onStart(item, index)
    starting.set(index, begun)
    return begun
  }
  const settle = async (
    item: FlowItem,
    index: number,
    change: LedgerChange,
    outcome: ItemOutcome,
  ): Promise<ItemOutcome> => {
    await Promise.all([ledger.change(item.id, change, run()), ports.onEnd(item, index, outcome)])
    return outcome
  }
  const isOld = (entry: LedgerEntry | undefined): boolean =>
    typeof entry?.failingSinceMs === 'number' && now() - entry.failingSinceMs >= ports.giveUpAfterMs
  /** What earlier deliveries of an item left; an item that was processed in this run has none. */
  const deliveredBefore = (item: FlowItem): LedgerEntry | undefined => {
    const entry = entries.get(item.id)
    return entry?.output ? entry : undefined
  }
  const isEarly = (entry: LedgerEntry | undefined): boolean =>
    (entry?.notBeforeMs ?? 0) > now() || (ports.isScheduled && (entry?.nextAttemptMs ?? 0) > now())

  const failProcessing = (item: FlowItem, index: number, error: StewardError) => {
    const entry = entries.get(item.id)
    const recorded = recordError(error)
    switch (classifyFailure(error)) {
      case 'limit':
      case 'configuration': {
        noProcessing ??= error
        const outcome: ItemOutcome = { kind: 'postponed', error: recorded }
        return settle(item, index, { state: 'found', error: recorded }, outcome)
      }
      case 'rejected': {
        const outcome: ItemOutcome = { kind: 'rejected', item: item.id, error: recorded }
        return settle(item, index, { state: 'rejected', error: recorded }, outcome)
      }
      case 'unfit':
        unfit.push({ item, index, error })
        if (!hasPassed && unfit.length >= UNFIT_UNTIL_BLOCKED) noProcessing ??= error
        return { kind: 'postponed', error: recorded } satisfies ItemOutcome
      case 'later': {
        const attempts = (entry?.attempts ?? 0) + 1
        const isCostly = error.code === 'model_malformed' && attempts >= LIMITS.flowItemAttempts
        const gaveUp = isOld(entry) || isCostly
        const clock = { nowMs: now(), random: ports.random }
        const { atMs, notBeforeMs } = nextAttempt('processing', attempts, error, clock)
        const change: LedgerChange = {
          state: gaveUp ? 'given-up' : 'found',
          attempts,
          failingSinceMs: now(),
          nextAttemptMs: atMs,
          notBeforeMs,
          error: recorded,
        }
        const kind = gaveUp ? 'given-up' : 'failed'
        return settle(item, index, change, { kind, item: item.id, error: recorded })
      }
    }
  }

  const processOne = async (item: FlowItem, index: number): Promise<Processed> => {
    const entry = entries.get(item.id)
    if (entry?.output) return { output: entry.output }
    const obstacle = noProcessing ?? ports.obstacle(item)
    if (obstacle !== undefined) {
      return { outcome: { kind: 'postponed', error: recordError(obstacle) } }
    }
    if (entry?.error && isEarly(entry)) {
      return { outcome: { kind: 'failed', item: item.id, error: entry.error } }
    }
    await start(item, index)
    try {
      const output = await ports.process(item, index)
      hasPassed = true
      const fresh = { attempts: 0, failingSinceMs: null, nextAttemptMs: null, notBeforeMs: null }
      await ledger.change(item.id, { state: 'processed', output, error: null, ...fresh }, run())
      ports.onProcessed?.(item)
      return { output }
    } catch (thrown) {
      const error = ports.toFailure(thrown)
      if (error.code === 'item_filtered') {
        hasPassed = true
        return { outcome: await settle(item, index, { state: 'filtered' }, { kind: 'filtered' }) }
      }
      return { outcome: await failProcessing(item, index, error) }
    }
  }

  /** Leaves an item for later without an attempt of its own. */
  const hold = async (
    item: FlowItem,
    index: number,
    error: RecordedError,
  ): Promise<ItemOutcome> => {
    const gaveUp = down?.tried === true && isOld(deliveredBefore(item))
    const list = gaveUp ? overdue : held
    list.push(item.id)
    const kind = gaveUp ? 'given-up' : 'waiting'
    const outcome: ItemOutcome = { kind, item: item.id, error }
    if (starting.has(index)) await ports.onEnd(item, index, outcome)
    return outcome
  }

  const failDelivery = (item: FlowItem, index: number, error: StewardError) => {
    const entry = deliveredBefore(item)
    const recorded = recordError(error)
    switch (classifyDeliveryFailure(error)) {
      case 'limit':
      case 'configuration': {
        noDelivery ??= error
        const outcome: ItemOutcome = { kind: 'waiting', item: item.id, error: recorded }
        return settle(item, index, { state: 'waiting', error: recorded }, outcome)
      }
      case 'rejected': {
        const outcome: ItemOutcome = { kind: 'rejected', item: item.id, error: recorded }
        return settle(item, index, { state: 'rejected', error: recorded }, outcome)
      }
      case 'later': {
        misses++
        const attempts = (entry?.attempts ?? 0) + 1
        const clock = { nowMs: now(), random: ports.random }
        const { atMs, notBeforeMs } = nextAttempt('delivery', attempts, error, clock)
        const isSuspicious = attempts >= ATTEMPTS_UNTIL_SUSPICIOUS
        if (!isSuspicious || notBeforeMs !== null || misses >= FAILURES_UNTIL_DOWN) {
          down = { error: recorded, atMs, notBeforeMs, tried: true }
        }
        const kind = isOld(entry) ? 'given-up' : 'waiting'
        const change: LedgerChange = {
          state: kind,
          attempts,
          failingSinceMs: now(),
          nextAttemptMs: atMs,
          notBeforeMs,
          error: recorded,
        }
        return settle(item, index, change, { kind, item: item.id, error: recorded })
      }
    }
  }

  const deliverOne = async (
    item: FlowItem,
    index: number,
    output: JsonObject,
  ): Promise<ItemOutcome> => {
    const entry = deliveredBefore(item)
    if (noDelivery !== undefined) return hold(item, index, recordError(noDelivery))
    if (down === undefined && entry?.error && isEarly(entry)) {
      const { error, nextAttemptMs, notBeforeMs } = entry
      down = { error, atMs: nextAttemptMs ?? now(), notBeforeMs, tried: false }
    }
    if (down !== undefined) return hold(item, index, down.error)
    const obstacle = starting.has(index) ? undefined : ports.obstacle(item)
    if (obstacle !== undefined) return { kind: 'postponed', error: recordError(obstacle) }
    await start(item, index)
    try {
      await ports.deliver(item, output, index)
    } catch (thrown) {
      return failDelivery(item, index, ports.toFailure(thrown))
    }
    misses = 0
    const fresh = { nextAttemptMs: null, notBeforeMs: null, failingSinceMs: null }
    return settle(item, index, { state: 'delivered', ...fresh }, { kind: 'delivered' })
  }

  const deliverAll = async (): Promise<void> => {
    // Outputs of items before the one at which processing broke are still delivered.
    let isOver = false
    await runItems(items, ports.deliveries ?? 1, async (item, index) => {
      if (isOver) return
      try {
        const result = await processed[index]?.promise
        if (result === undefined) return
        outcomes[index] =
          'outcome' in result ? result.outcome : await deliverOne(item, index, result.output)
      } catch (thrown) {
        isOver = true
        broken ??= { thrown }
      }
    })
    if (broken !== undefined) throw broken.thrown
  }

  const holdAll = async (): Promise<void> => {
    const error = noDelivery === undefined ? down?.error : recordError(noDelivery)
    if (error === undefined) return
    const planned =
      noDelivery === undefined && down !== undefined
        ? {
            failingSinceMs: now(),
            nextAttemptMs: down.atMs,
            notBeforeMs: down.notBeforeMs,
          }
        : {}
    if (held.length > 0) {
      await ledger.changeAll(held, { state: 'waiting', error, ...planned }, run())
    }
    if (overdue.length > 0) await ledger.changeAll(overdue, { state: 'given-up', error }, run())
  }

  /** If other items passed, the items are to blame, else the definition. */
  const decideUnfit = async (): Promise<void> => {
    if (!hasPassed && unfit[0] !== undefined) noProcessing ??= unfit[0].error
    for (const { item, index, error } of unfit) {
      const recorded = recordError(error)
      outcomes[index] = hasPassed
        ? await settle(
            item,
            index,
            { state: 'rejected', error: recorded },
            {
              kind: 'rejected',
              item: item.id,
              error: recorded,
            },
          )
        : await settle(
            item,
            index,
            { state: 'found', error: recorded },
            {
              kind: 'postponed',
              error: recorded,
            },
          )
    }
  }

  for (const { promise } of processed) promise.catch(() => undefined)
  const delivering = deliverAll()
  // It is awaited below; it may fail while items are still processed.
  delivering.catch(() => undefined)
  await runItems(items, ports.concurrency, async (item, index) => {
    // Deliveries may wait for any item.
    if (broken !== undefined) return processed[index]?.reject(broken.thrown)
    try {
      processed[index]?.resolve(await processOne(item, index))
    } catch (thrown) {
      broken ??= { thrown }
      processed[index]?.reject(thrown)
    }
  })
  await delivering
  await Promise.all([holdAll(), decideUnfit()])
  return { outcomes, blocked: blockOf(noProcessing) ?? blockOf(noDelivery) }
}

/** A used-up budget is not an error of the configuration. */
const blockOf = (error: StewardError | undefined): StewardError | undefined =>
  error !== undefined && classifyFailure(error) === 'limit' ? undefined : error
