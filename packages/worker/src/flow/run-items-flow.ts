import {
  destinationsOf,
  type FlowDestination,
  type FlowEntry,
  type FlowRunSummary,
  LIMITS,
  type Spend,
  StewardError,
  sourcesOf,
  toStewardError,
} from '@steward/contract'
import {
  chooseItems,
  classifyDeliveryFailure,
  destinationKeys,
  failureOfGiven,
  giveUpAfterMs,
  type LedgerEntry,
  NO_SPEND,
  prefixOf,
  type ReadSources,
  type RememberingPorts,
  recordError,
  summarise,
  sumSpend,
  type WorkPorts,
  workDigests,
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
  readItems: (ports: Omit<RememberingPorts, 'report'>) => Promise<ReadSources>,
  invocation: Invocation,
  store: FlowStore,
  { isScheduled, only }: { isScheduled: boolean; only?: string },
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
  const sources = sourcesOf(flow)
  const { memory } = ledger
  if (sources.length > 1) await ledger.adoptIds(prefixOf(sources[0]))
  const { items: found, errors: sourceErrors, isRead } = await readItems({ memory, now })
  const limit = flow.maxItems ?? LIMITS.flowItemsPerRun
  const { digest } = flow
  const collects = digest !== undefined
  const { chosen, entries } = await chooseItems(found, ledger, limit, run, {
    collects,
    ...(only === undefined ? {} : { only }),
    readOlder: (unknown) => readSeenItems(unknown, invocation.kv('SEEN_ITEMS'), flow.id),
  })
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
  const portsWith = (stored: ReadonlyMap<string, LedgerEntry>): WorkPorts => ({
    ledger,
    runId,
    now,
    random: Math.random,
    concurrency,
    deliveries: destinationsOf(flow).every(isUnordered) ? concurrency : 1,
    destinations: destinationKeys(flow),
    giveUpAfterMs: giveUpAfterMs(flow),
    isScheduled,
    obstacle,
    onStart: async ({ id }) => {
      promised.set(id, need.processing + need.delivery)
    },
    onProcessed: ({ id }) => promised.set(id, need.delivery),
    process: (item) => processItem({ flow, item, id: item.id, follow }, invocation, onSpend),
    deliver: (item, output, place) => {
      const again = stored.get(item.id)?.output != null
      return deliverItem({ flow, item, again, place }, output, invocation, onSpend)
    },
    onEnd: async ({ id }) => {
      promised.delete(id)
    },
    toFailure: (thrown) => {
      const failure = toStewardError(thrown)
      return only === undefined ? failure : failureOfGiven(failure)
    },
  })
  const worked = await workItems(chosen.items, entries, { ...portsWith(entries), collects })
  const sent =
    digest === undefined
      ? undefined
      : await workDigests(
          { ...flow, digest },
          {
            ledger,
            run: () => ({ runId, atMs: now() }),
            zone: 'UTC',
            deliver: (digests, stored) => workItems(digests, stored, portsWith(stored)),
          },
        )
  // The flow may have had a digest when these items were collected.
  const isMember = entries.values().some((entry) => entry.digest !== null)
  if (!collects && isMember) await ledger.followDigests({ runId, atMs: now() })
  if (flow.budgetUsd !== undefined) await store.writeSpent(day, spentBefore + (spend.cost ?? 0))
  const unread = isRead ? undefined : sourceErrors.map(({ error }) => error).find(isSetup)
  const blocked = worked.blocked ?? sent?.blocked ?? unread
  return summarise({
    runId,
    startedAt,
    endedAt: now(),
    spend,
    found: chosen.found,
    alreadySeen: chosen.alreadySeen,
    givenUpBefore: chosen.givenUp,
    postponed: chosen.postponed,
    outcomes: [
      // Those that a digest takes are counted with it.
      ...worked.outcomes.filter(({ kind }) => kind !== 'collected'),
      ...(sent?.outcomes ?? []),
    ],
    sourceErrors: sourceErrors.map(({ error, source }) => ({
      ...recordError(error),
      item: source,
    })),
    isPartlyRead: isRead,
    ...(blocked === undefined ? {} : { blocked: recordError(blocked) }),
  })
}

/** Each item has its own row or object, whenever it arrives. */
const isUnordered = ({ type }: FlowDestination): boolean => type === 'database' || type === 'file'

const isSetup = (error: StewardError): boolean =>
  error.code === 'invalid_input' || classifyDeliveryFailure(error) === 'configuration'
