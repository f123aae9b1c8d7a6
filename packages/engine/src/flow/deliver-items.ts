import type { JsonObject, StewardError } from '@steward/contract'
import { createLane, type DeliveryLane, type LaneDecision } from './delivery-lane.ts'
import type { FlowItem } from './item.ts'
import type { DeliveryEntry, LedgerChange, LedgerEntry } from './ledger-rows.ts'
import { recordError } from './record-error.ts'
import type { ItemOutcome } from './summary.ts'
import type { ItemSteps, WorkPorts } from './work-ports.ts'

export interface Delivering {
  deliverOne: (item: FlowItem, index: number, output: JsonObject) => Promise<ItemOutcome>
  /** Stores when the items that were held may be tried again. */
  holdAll: () => Promise<void>
  /** The error of the configuration that stops a destination. */
  stop: () => StewardError | undefined
}

/** A destination that decided in an earlier run is not asked again. */
const DECIDED = new Set<DeliveryEntry['state']>(['delivered', 'rejected', 'given-up'])

/**
 * Delivers outputs to every destination of a flow. Each destination has its own backoff, and what it
 * did is stored before the item as a whole is decided, so that no destination gets an item twice.
 */
export const createDelivering = (
  entries: ReadonlyMap<string, LedgerEntry>,
  steps: ItemSteps,
  ports: WorkPorts,
): Delivering => {
  const { ledger, destinations = [''] } = ports
  const lanes = destinations.map((key, place) => ({ key, lane: createLane(place, ports) }))
  const hasSeveral = lanes.length > 1
  const run = () => ({ runId: ports.runId, atMs: ports.now() })

  /** What earlier deliveries of an item left; an item that was processed in this run has none. */
  const leftBy = (item: FlowItem, key: string): DeliveryEntry | undefined => {
    const entry = entries.get(item.id)
    if (!entry?.output) return undefined
    return hasSeveral ? entry.deliveries.get(key) : entry
  }
  /** Also for the only destination: the flow may have had more. */
  const decidedBefore = (item: FlowItem, key: string): DeliveryEntry | undefined => {
    const known = entries.get(item.id)?.deliveries.get(key)
    return known !== undefined && DECIDED.has(known.state) ? known : undefined
  }

  const ask = async (
    { key, lane }: { key: string; lane: DeliveryLane },
    item: FlowItem,
    output: JsonObject,
  ): Promise<LaneDecision> => {
    const known = decidedBefore(item, key)
    if (known !== undefined) return toDecision(known)
    const before = leftBy(item, key)
    const still = lane.standsStill(before)
    if (still !== undefined) return lane.hold(item.id, before, still)
    const decision = await lane.attempt(item, before, output)
    if (hasSeveral && decision.change !== undefined) {
      await ledger.changeDelivery?.([item.id], key, decision.change)
    }
    return decision
  }

  const deliverOne: Delivering['deliverOne'] = async (item, index, output) => {
    const isTried = lanes.some(
      ({ key, lane }) =>
        decidedBefore(item, key) === undefined && lane.standsStill(leftBy(item, key)) === undefined,
    )
    if (isTried) {
      const obstacle = steps.hasStarted(index) ? undefined : ports.obstacle(item)
      if (obstacle !== undefined) return { kind: 'postponed', error: recordError(obstacle) }
      await steps.start(item, index)
    }
    const decisions = await Promise.all(lanes.map((each) => ask(each, item, output)))
    return settle(item, index, decisions)
  }

  const settle = async (
    item: FlowItem,
    index: number,
    decisions: readonly LaneDecision[],
  ): Promise<ItemOutcome> => {
    const worst = worstOf(decisions)
    const outcome = outcomeOf(item, worst, decisions)
    const isHeld = decisions.every(({ change }) => change === undefined)
    if (!hasSeveral && worst.change === undefined && decidedBefore(item, destinations[0] ?? '')) {
      // The flow has fewer destinations than before, and the remaining one has the item.
      return steps.settle(item, index, { state: worst.kind, error: worst.error }, outcome)
    }
    const isKnown = entries.get(item.id)?.state === worst.kind
    if (isHeld && (!hasSeveral || isKnown)) {
      if (steps.hasStarted(index)) await ports.onEnd(item, index, outcome)
      return outcome
    }
    const change = hasSeveral ? combine(worst, decisions) : worst.change
    if (change === undefined) return outcome
    const settled = steps.settle(item, index, change, outcome)
    const forgotten =
      hasSeveral && worst.kind === 'delivered' ? ledger.forgetDeliveries?.([item.id]) : undefined
    await Promise.all([settled, forgotten])
    return settled
  }

  return {
    deliverOne,
    holdAll: async () => {
      for (const { key, lane } of lanes) {
        for (const { items, change } of lane.heldChanges()) {
          if (hasSeveral) await ledger.changeDelivery?.(items, key, change)
          else await ledger.changeAll(items, change, run())
        }
      }
    },
    stop: () => lanes.map(({ lane }) => lane.stop()).find((error) => error !== undefined),
  }
}

const toDecision = ({ state, error }: DeliveryEntry): LaneDecision => {
  if (state === 'rejected' || state === 'given-up') return { kind: state, error }
  return { kind: 'delivered', error: null }
}

const ORDER = ['waiting', 'given-up', 'rejected', 'delivered'] as const

/** The decision that counts for the item as a whole. */
const worstOf = (decisions: readonly LaneDecision[]): LaneDecision =>
  ORDER.flatMap((kind) => decisions.filter((decision) => decision.kind === kind))[0] ?? {
    kind: 'delivered',
    error: null,
  }

const outcomeOf = (
  item: FlowItem,
  { kind, error }: LaneDecision,
  decisions: readonly LaneDecision[],
): ItemOutcome => {
  if (kind === 'delivered' || error === null) return { kind: 'delivered' }
  const isPartly = decisions.some((decision) => decision.kind === 'delivered')
  return { kind, item: item.id, error, ...(isPartly ? { isPartly } : {}) }
}

/** The state of an item with several destinations; the times are for people to read. */
const combine = (
  { kind, error }: LaneDecision,
  decisions: readonly LaneDecision[],
): LedgerChange => {
  const changes = decisions.flatMap(({ change }) => (change === undefined ? [] : [change]))
  const next = changes.flatMap(({ nextAttemptMs }) => nextAttemptMs ?? [])
  const attempts = changes.flatMap((change) => change.attempts ?? [])
  return {
    state: kind,
    error,
    ...(attempts.length === 0 ? {} : { attempts: Math.max(...attempts) }),
    ...(next.length === 0 ? {} : { nextAttemptMs: Math.min(...next) }),
    ...(kind === 'delivered'
      ? { nextAttemptMs: null, notBeforeMs: null, failingSinceMs: null }
      : {}),
  }
}
