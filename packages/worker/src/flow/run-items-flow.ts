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
  type FlowItem,
  type ItemOutcome,
  isRejection,
  NO_SPEND,
  recordError,
  runItems,
  summarise,
  sumSpend,
} from '@steward/engine'
import type { FlowStore } from './flow-store.ts'
import type { Invocation } from './invocation.ts'
import { createSeenItems } from './seen-items.ts'
import { subrequestsOfItem, workItem } from './work-item.ts'

/** Runs source, pipeline and destination for every new item (spec 1, Events: cron trigger). */
export const runItemsFlow = async (
  flow: FlowEntry,
  readItems: () => Promise<FlowItem[]>,
  invocation: Invocation,
  store: FlowStore,
): Promise<FlowRunSummary> => {
  const { runId, startedAt, now } = invocation
  const seen = createSeenItems(invocation.kv('SEEN_ITEMS'), flow.id)
  const day = new Date(startedAt)
  const spentBefore = flow.budgetUsd === undefined ? 0 : await store.readSpent(day)
  let spend = NO_SPEND
  const onSpend = (part: Spend) => {
    spend = sumSpend([spend, part])
  }
  const found = await readItems().catch((thrown: unknown) =>
    toStewardError(thrown, 'upstream_failed', { service: `the ${flow.source.type} source` }),
  )
  const finish = async (
    parts: Pick<
      Parameters<typeof summarise>[0],
      'found' | 'alreadySeen' | 'postponed' | 'outcomes' | 'sourceError'
    >,
  ) => {
    if (flow.budgetUsd !== undefined) await store.writeSpent(day, spentBefore + (spend.cost ?? 0))
    return summarise({ runId, startedAt, endedAt: now(), spend, ...parts })
  }
  if (found instanceof StewardError) {
    const sourceError = recordError(found)
    return finish({ found: 0, alreadySeen: 0, postponed: 0, outcomes: [], sourceError })
  }

  const known = await seen.lookUp(found.map(({ id }) => id))
  const limit = flow.maxItems ?? LIMITS.flowItemsPerRun
  const chosen = chooseItems(found, (id) => known(id).settled, limit)
  const need = subrequestsOfItem(flow)
  let promised = 0

  /** Why no further item is started in this invocation; each needs all of its subrequests. */
  const obstacle = (): StewardError | undefined => {
    if (invocation.remaining() - promised < need) {
      return new StewardError('subrequest_limit', { limit: LIMITS.subrequestsPerRun })
    }
    const spent = spentBefore + (spend.cost ?? 0)
    if (flow.budgetUsd === undefined || spent < flow.budgetUsd) return undefined
    const rounded = Math.round(spent * 1e6) / 1e6
    const details = { scope: 'flow', limit: flow.budgetUsd, spent: rounded, next: 'unknown' }
    return new StewardError('budget_exceeded', details)
  }

  const workOne = async (item: FlowItem): Promise<ItemOutcome> => {
    const blocked = obstacle()
    if (blocked !== undefined) return { kind: 'postponed', error: recordError(blocked) }
    promised += need
    const before = known(item.id)
    const mark = (status: 'delivered' | 'rejected' | 'failed') =>
      seen.mark(item.id, status, before, { id: runId, at: new Date(now()) })
    try {
      await workItem({ flow, item, again: before.attempts > 0 }, invocation, onSpend)
      await mark('delivered')
      return { kind: 'delivered' }
    } catch (thrown) {
      const error = toStewardError(thrown)
      const recorded = recordError(error)
      if (error.code === 'budget_exceeded') return { kind: 'postponed', error: recorded }
      const kind = isRejection(error) ? 'rejected' : 'failed'
      await mark(kind)
      return { kind, item: item.id, error: recorded }
    } finally {
      promised -= need
    }
  }

  const results = await runItems(chosen.items, flow.concurrency ?? LIMITS.flowConcurrency, workOne)
  // An item's failure is an outcome; a throw here means that a store is unavailable.
  const outcomes = results.map((result, index): ItemOutcome => {
    if (result.status === 'fulfilled') return result.value
    const error = recordError(toStewardError(result.reason))
    return { kind: 'failed', item: chosen.items[index]?.id ?? '', error }
  })
  const { alreadySeen, postponed } = chosen
  return finish({ found: chosen.found, alreadySeen, postponed, outcomes })
}
