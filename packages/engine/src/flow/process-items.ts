import { type JsonObject, LIMITS, StewardError } from '@steward/contract'
import { classifyFailure } from './classify-failure.ts'
import type { FlowItem } from './item.ts'
import type { LedgerChange, LedgerEntry } from './ledger-rows.ts'
import { nextAttempt } from './next-attempt.ts'
import { recordError } from './record-error.ts'
import type { ItemOutcome } from './summary.ts'
import type { ItemSteps, WorkPorts } from './work-ports.ts'

/** Items that do not fit the pipeline, before any did: the pipeline is wrong. */
const UNFIT_UNTIL_BLOCKED = 3

/** The output of an item that is to be delivered, or how the item ended. */
export type Processed = { output: JsonObject } | { outcome: ItemOutcome }

export interface Processing {
  processOne: (item: FlowItem, index: number) => Promise<Processed>
  /** If other items passed, the items are to blame, else the definition. */
  decideUnfit: () => Promise<Map<number, ItemOutcome>>
  /** Why no further item is processed in this run. */
  stop: () => StewardError | undefined
}

/** Runs items through the pipeline and stores their outputs. */
export const createProcessing = (
  entries: ReadonlyMap<string, LedgerEntry>,
  { start, settle }: ItemSteps,
  ports: WorkPorts,
): Processing => {
  const { ledger, now, runId } = ports
  const unfit: { item: FlowItem; index: number; error: StewardError }[] = []
  let hasPassed = false
  let stopped: StewardError | undefined

  const fail = (item: FlowItem, index: number, error: StewardError) => {
    const entry = entries.get(item.id)
    const recorded = recordError(error)
    switch (classifyFailure(error)) {
      case 'limit':
      case 'configuration': {
        stopped ??= error
        const outcome: ItemOutcome = { kind: 'postponed', error: recorded }
        return settle(item, index, { state: 'found', error: recorded }, outcome)
      }
      case 'rejected': {
        const outcome: ItemOutcome = { kind: 'rejected', item: item.id, error: recorded }
        return settle(item, index, { state: 'rejected', error: recorded }, outcome)
      }
      case 'unfit':
        unfit.push({ item, index, error })
        if (!hasPassed && unfit.length >= UNFIT_UNTIL_BLOCKED) stopped ??= error
        return { kind: 'postponed', error: recorded } satisfies ItemOutcome
      case 'later': {
        const attempts = (entry?.attempts ?? 0) + 1
        const isCostly = error.code === 'model_malformed' && attempts >= LIMITS.flowItemAttempts
        const gaveUp = isOld(entry, ports) || isCostly
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

  /** The output as the digest will find it; it cannot be made again without the pipeline. */
  const toCollected = (output: JsonObject): JsonObject => {
    const stored = ledger.toStorable === undefined ? output : ledger.toStorable(output)
    if (stored !== undefined) return stored
    const reason = 'its output is too long to be kept for a digest'
    throw new StewardError('rejected_content', { subject: 'the item', reason })
  }

  const processOne: Processing['processOne'] = async (item, index) => {
    const entry = entries.get(item.id)
    if (entry?.output) return { output: entry.output }
    const obstacle = stopped ?? ports.obstacle(item)
    if (obstacle !== undefined) {
      return { outcome: { kind: 'postponed', error: recordError(obstacle) } }
    }
    if (entry?.error && isEarly(entry, ports)) {
      return { outcome: { kind: 'failed', item: item.id, error: entry.error } }
    }
    await start(item, index)
    try {
      const made = await ports.process(item, index)
      const output = ports.collects ? toCollected(made) : made
      hasPassed = true
      const fresh = { attempts: 0, failingSinceMs: null, nextAttemptMs: null, notBeforeMs: null }
      const change: LedgerChange = { state: 'processed', output, error: null, ...fresh }
      if (ports.collects) {
        return { outcome: await settle(item, index, change, { kind: 'collected' }) }
      }
      await ledger.change(item.id, change, { runId, atMs: now() })
      ports.onProcessed?.(item)
      return { output }
    } catch (thrown) {
      const error = ports.toFailure(thrown)
      if (error.code === 'item_filtered') {
        hasPassed = true
        return { outcome: await settle(item, index, { state: 'filtered' }, { kind: 'filtered' }) }
      }
      return { outcome: await fail(item, index, error) }
    }
  }

  const decideUnfit: Processing['decideUnfit'] = async () => {
    if (!hasPassed && unfit[0] !== undefined) stopped ??= unfit[0].error
    const decided = new Map<number, ItemOutcome>()
    for (const { item, index, error } of unfit) {
      const recorded = recordError(error)
      const change: LedgerChange = { state: hasPassed ? 'rejected' : 'found', error: recorded }
      const outcome: ItemOutcome = hasPassed
        ? { kind: 'rejected', item: item.id, error: recorded }
        : { kind: 'postponed', error: recorded }
      decided.set(index, await settle(item, index, change, outcome))
    }
    return decided
  }

  return { processOne, decideUnfit, stop: () => stopped }
}

type Times = Pick<LedgerEntry, 'failingSinceMs' | 'nextAttemptMs' | 'notBeforeMs'>

/** Whether it has failed for longer than its flow allows. */
export const isOld = (
  entry: Times | undefined,
  { now, giveUpAfterMs }: Pick<WorkPorts, 'now' | 'giveUpAfterMs'>,
): boolean =>
  typeof entry?.failingSinceMs === 'number' && now() - entry.failingSinceMs >= giveUpAfterMs

/** Whether its next attempt is planned for later. */
export const isEarly = (
  entry: Times | undefined,
  { now, isScheduled }: Pick<WorkPorts, 'now' | 'isScheduled'>,
): boolean =>
  (entry?.notBeforeMs ?? 0) > now() || (isScheduled && (entry?.nextAttemptMs ?? 0) > now())
