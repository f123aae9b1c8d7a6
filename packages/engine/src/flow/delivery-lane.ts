import type { JsonObject, RecordedError, StewardError } from '@steward/contract'
import { classifyDeliveryFailure } from './classify-failure.ts'
import type { FlowItem } from './item.ts'
import type { DeliveryEntry, LedgerChange } from './ledger-rows.ts'
import { nextAttempt } from './next-attempt.ts'
import { isEarly, isOld } from './process-items.ts'
import { recordError } from './record-error.ts'
import type { WorkPorts } from './work-ports.ts'

/** After this many failures in a row, the destination counts as down even for suspicious items. */
const FAILURES_UNTIL_DOWN = 3
/** An item that failed in this many runs may itself be the reason, so it stops blocking others. */
const ATTEMPTS_UNTIL_SUSPICIOUS = 3

export interface LaneDecision {
  kind: 'delivered' | 'waiting' | 'rejected' | 'given-up'
  error: RecordedError | null
  /** Undefined for an item that is held; `heldChanges` has its change. */
  change?: LedgerChange
}

/** One destination in one run: it decides for each item and remembers whether it is down. */
export interface DeliveryLane {
  /** Why this item is not delivered now. `before` is what earlier deliveries of the item left. */
  standsStill: (before: DeliveryEntry | undefined) => RecordedError | undefined
  /** Leaves an item for later without an attempt of its own. */
  hold: (item: string, before: DeliveryEntry | undefined, error: RecordedError) => LaneDecision
  attempt: (
    item: FlowItem,
    before: DeliveryEntry | undefined,
    output: JsonObject,
  ) => Promise<LaneDecision>
  /** The changes of all items that were held. */
  heldChanges: () => { items: string[]; change: LedgerChange }[]
  /** The error of the configuration that stops it. */
  stop: () => StewardError | undefined
}

export const createLane = (place: number, ports: WorkPorts): DeliveryLane => {
  const { now } = ports
  const held: string[] = []
  const overdue: string[] = []
  let stopped: StewardError | undefined
  let down:
    | { error: RecordedError; atMs: number; notBeforeMs: number | null; tried: boolean }
    | undefined
  let misses = 0

  const fail = (before: DeliveryEntry | undefined, error: StewardError): LaneDecision => {
    const recorded = recordError(error)
    switch (classifyDeliveryFailure(error)) {
      case 'limit':
      case 'configuration':
        stopped ??= error
        return {
          kind: 'waiting',
          error: recorded,
          change: { state: 'waiting', error: recorded },
        }
      case 'rejected':
        return {
          kind: 'rejected',
          error: recorded,
          change: { state: 'rejected', error: recorded },
        }
      case 'later': {
        misses++
        const attempts = (before?.attempts ?? 0) + 1
        const clock = { nowMs: now(), random: ports.random }
        const { atMs, notBeforeMs } = nextAttempt('delivery', attempts, error, clock)
        const isSuspicious = attempts >= ATTEMPTS_UNTIL_SUSPICIOUS
        if (!isSuspicious || notBeforeMs !== null || misses >= FAILURES_UNTIL_DOWN) {
          down = { error: recorded, atMs, notBeforeMs, tried: true }
        }
        const kind = isOld(before, ports) ? 'given-up' : 'waiting'
        const times = { failingSinceMs: now(), nextAttemptMs: atMs, notBeforeMs }
        return {
          kind,
          error: recorded,
          change: { state: kind, attempts, ...times, error: recorded },
        }
      }
    }
  }

  return {
    standsStill: (before) => {
      if (stopped !== undefined) return recordError(stopped)
      if (down === undefined && before?.error && isEarly(before, ports)) {
        const { error, nextAttemptMs, notBeforeMs } = before
        down = { error, atMs: nextAttemptMs ?? now(), notBeforeMs, tried: false }
      }
      return down?.error
    },
    hold: (item, before, error) => {
      const gaveUp = stopped === undefined && down?.tried === true && isOld(before, ports)
      const list = gaveUp ? overdue : held
      list.push(item)
      return { kind: gaveUp ? 'given-up' : 'waiting', error }
    },
    attempt: async (item, before, output) => {
      try {
        await ports.deliver(item, output, place)
      } catch (thrown) {
        return fail(before, ports.toFailure(thrown))
      }
      misses = 0
      const fresh = { nextAttemptMs: null, notBeforeMs: null, failingSinceMs: null }
      return { kind: 'delivered', error: null, change: { state: 'delivered', ...fresh } }
    },
    heldChanges: () => {
      const error = stopped === undefined ? down?.error : recordError(stopped)
      if (error === undefined) return []
      const planned =
        stopped === undefined && down !== undefined
          ? {
              failingSinceMs: now(),
              nextAttemptMs: down.atMs,
              notBeforeMs: down.notBeforeMs,
            }
          : {}
      const changes: { items: string[]; change: LedgerChange }[] = [
        { items: held, change: { state: 'waiting', error, ...planned } },
        { items: overdue, change: { state: 'given-up', error } },
      ]
      return changes.filter(({ items }) => items.length > 0)
    },
    stop: () => stopped,
  }
}
