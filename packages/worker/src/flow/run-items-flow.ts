import {
  type FlowEntry,
  type FlowRunSummary,
  LIMITS,
  type Spend,
  StewardError,
  toStewardError,
} from '@steward/contract'
import {
  chooseItems,
  classifyDeliveryFailure,
  type FlowItem,
  giveUpAfterMs,
  NO_SPEND,
  type RememberingPorts,
  recordError,
  summarise,
  sumSpend,
  workItems,
} from '@steward/engine'
import type { FlowStore } from './flow-store.ts'
import type { Invocation } from './invocation.ts'
import { openLedger } from './open-ledger.ts'
import { readSeenItems } from './seen-items.ts'
import { deliverItem, processItem, subrequestsOfItem } from './work-item.ts'

/** Runs source, pipeline and destination for every open item (spec 1, Events: cron trigger). */
export const runItemsFlow = async (
  flow: FlowEntry,
  readItems: (ports: RememberingPorts) => Promise<FlowItem[]>,
  invocation: Invocation,
  store: FlowStore,
  { isScheduled }: { isScheduled: boolean },
): Promise<FlowRunSummary> => {
  const { runId, startedAt, now } = invocation
  const ledger = await openLedger(flow.id, invocation)
  const day = new Date(startedAt)
  const spentBefore = flow.budgetUsd === undefined ? 0 : await store.readSpent(day)
  let spend = NO_SPEND
  const onSpend = (part: Spend) => {
    spend = sumSpend([spend, part])
  }
  const run = { runId, atMs: now() }
  const errors: StewardError[] = []
  const report = (error: StewardError) => errors.push(error)
  const { memory } = ledger
  const found = await readItems({ memory, now, report }).catch((thrown: unknown) => {
    report(toStewardError(thrown, 'upstream_failed', { service: `the ${flow.source.type} source` }))
    return []
  })
  const [sourceError] = errors
  const limit = flow.maxItems ?? LIMITS.flowItemsPerRun
  const { chosen, entries } = await chooseItems(found, ledger, limit, run, (unknown) =>
    readSeenItems(unknown, invocation.kv('SEEN_ITEMS'), flow.id),
  )
  await memory.commit(entries.values())

  const need = subrequestsOfItem(flow)
  const promised = new Map<string, number>()
  const sumOfPromised = () => promised.values().reduce((sum, count) => sum + count, 0)
  /** Why no further item is started in this invocation; each needs all of its subrequests. */
  const obstacle = (): StewardError | undefined => {
    if (invocation.remaining() - sumOfPromised() < need.processing + need.delivery) {
      return new StewardError('subrequest_limit', { limit: LIMITS.subrequestsPerRun })
    }
    const spent = spentBefore + (spend.cost ?? 0)
    if (flow.budgetUsd === undefined || spent < flow.budgetUsd) return undefined
    const rounded = Math.round(spent * 1e6) / 1e6
    const details = { scope: 'flow', limit: flow.budgetUsd, spent: rounded, next: 'unknown' }
    return new StewardError('budget_exceeded', details)
  }
  const follow =
    flow.pipeline === undefined || chosen.items.length === 0
      ? undefined
      : await ledger.steps.read(
          chosen.items.map(({ id }) => id),
          // A paid step may use requests reserved for other items: they are delivered in the next run.
          ({ paid }) => invocation.remaining() > (paid ? 0 : sumOfPromised()),
        )
  const concurrency = flow.concurrency ?? LIMITS.flowConcurrency
  const worked = await workItems(chosen.items, entries, {
    ledger,
    runId,
    now,
    random: Math.random,
    concurrency,
    deliveries: isUnordered(flow.destination) ? concurrency : 1,
    giveUpAfterMs: giveUpAfterMs(flow),
    isScheduled,
    obstacle,
    onStart: async ({ id }) => {
      promised.set(id, need.processing + need.delivery)
    },
    onProcessed: ({ id }) => promised.set(id, need.delivery),
    process: (item) => processItem({ flow, item, id: item.id, follow }, invocation, onSpend),
    deliver: (item, output) => {
      const again = entries.get(item.id)?.output != null
      return deliverItem({ flow, item, again }, output, invocation, onSpend)
    },
    onEnd: async ({ id }) => {
      promised.delete(id)
    },
    toFailure: (thrown) => toStewardError(thrown),
  })
  if (flow.budgetUsd !== undefined) await store.writeSpent(day, spentBefore + (spend.cost ?? 0))
  const blocked = worked.blocked ?? (sourceError && isSetup(sourceError) ? sourceError : undefined)
  return summarise({
    runId,
    startedAt,
    endedAt: now(),
    spend,
    found: chosen.found,
    alreadySeen: chosen.alreadySeen,
    givenUpBefore: chosen.givenUp,
    postponed: chosen.postponed,
    outcomes: worked.outcomes,
    ...(sourceError === undefined ? {} : { sourceError: recordError(sourceError) }),
    ...(blocked === undefined ? {} : { blocked: recordError(blocked) }),
  })
}

/** Each item has its own row or object, whenever it arrives. */
const isUnordered = ({ type }: FlowEntry['destination']): boolean =>
  type === 'database' || type === 'file'

const isSetup = (error: StewardError): boolean =>
  error.code === 'invalid_input' || classifyDeliveryFailure(error) === 'configuration'
