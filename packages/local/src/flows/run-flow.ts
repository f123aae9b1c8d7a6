import { LIMITS, type RecordedError, type StewardError, toStewardError } from '@steward/contract'
import {
  type ChosenItems,
  chooseItems,
  type FlowItem,
  type ItemOutcome,
  isRejection,
  NO_SPEND,
  recordError,
  runItems,
  summarise,
} from '@steward/engine'
import { z } from 'zod'
import type { LoadedFlow } from '../catalog/index.ts'
import type { DestinationPorts } from '../destinations/index.ts'
import type { Feeds } from '../feeds/index.ts'
import type { RunHistory } from '../history/history.ts'
import type { Runner } from '../runner/index.ts'
import { type ItemSource, readSource } from '../sources/index.ts'
import type { FlowOutcome, TriggerOptions } from './flow-runner.ts'
import type { SeenItems } from './seen-items.ts'
import { workItem } from './work-item.ts'

export interface FlowPorts extends Omit<DestinationPorts, 'sendEmail'> {
  feeds: Feeds
  runner: Runner
  history: RunHistory
  seen: SeenItems
  now: () => number
  recordState: (loaded: LoadedFlow, outcome: FlowOutcome) => Promise<void>
}

/** A flow run that the history has as begun: fresh, or taken over from a dead process. */
export interface FlowRun {
  runId: string
  loaded: LoadedFlow
  source: ItemSource
  webhookBody: string | undefined
  /** What a run before it had come to. */
  earlier: { chosen: ChosenItems; finished: ReadonlySet<number> } | undefined
  options: Pick<TriggerOptions, 'onProgress' | 'signal'>
}

export const chosenItems = z.object({
  found: z.int(),
  alreadySeen: z.int(),
  postponed: z.int(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string().nullable(),
      payload: z.record(z.string(), z.unknown()),
    }),
  ),
})

/** Source, pipeline, destination: step 1 of the run is the source, each item is a step after it. */
export const runFlow = async (run: FlowRun, ports: FlowPorts): Promise<FlowOutcome> => {
  const { runId, loaded, options } = run
  const { history, now } = ports
  const startedAt = now()
  const chosen = run.earlier?.chosen ?? (await readItems(run, ports))
  if ('code' in chosen)
    return finish([], { found: 0, alreadySeen: 0, postponed: 0, items: [] }, chosen)

  options.onProgress?.({
    kind: 'note',
    runId,
    message: `${loaded.flow.name}: ${chosen.found} items found, ${chosen.alreadySeen} seen before, ${chosen.items.length} to do`,
  })
  let exhausted: StewardError | undefined
  const results = await runItems(
    chosen.items,
    loaded.flow.concurrency ?? LIMITS.flowConcurrency,
    async (item, index): Promise<ItemOutcome> => {
      if (run.earlier?.finished.has(index)) return { kind: 'delivered' }
      if (exhausted !== undefined) return { kind: 'postponed', error: recordError(exhausted) }
      const outcome = await runItem(item, index)
      if ('spent' in outcome) {
        exhausted = outcome.spent
        return { kind: 'postponed', error: recordError(outcome.spent) }
      }
      return outcome
    },
  )
  const broken = results.find((result) => result.status === 'rejected')
  // An item's own failure is an outcome; what is thrown here is ours (storage, a stop), so the run stays resumable.
  if (broken !== undefined) throw broken.reason
  return finish(
    results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    chosen,
  )

  async function runItem(
    item: FlowItem,
    index: number,
  ): Promise<ItemOutcome | { spent: StewardError }> {
    const { flow } = loaded
    const step = index + 1
    const title = item.title ?? item.id
    await history.advance({
      runId,
      next: {
        index: step,
        action: 'item',
        startedAt: now(),
        input: { id: item.id, title: item.title },
      },
    })
    const again = run.earlier !== undefined || ports.seen.look(flow.id, item.id).attempts > 0
    const end = (result: { output: Record<string, unknown> } | { error: RecordedError }) =>
      history.advance({
        runId,
        done: { index: step, endedAt: now(), outcome: result, spend: NO_SPEND, isolation: null },
      })
    try {
      const worked = await workItem(
        { flow, item, flowRunId: runId, key: `${runId}/${index}`, again, now, options },
        ports.runner,
        ports,
      )
      // Asked for in one turn, so they are one commit: an item is never delivered and unseen.
      await Promise.all([
        end({ output: { ...worked } }),
        ports.seen.mark(flow.id, item.id, 'delivered', { id: runId, at: now() }),
      ])
      options.onProgress?.({ kind: 'note', runId, message: `delivered: ${title}` })
      return { kind: 'delivered' }
    } catch (thrown) {
      options.signal?.throwIfAborted()
      const error = toStewardError(thrown)
      if (error.code === 'storage_failed' || error.code === 'run_active') throw error
      const recorded = recordError(error)
      if (error.code === 'budget_exceeded') {
        await end({ error: recorded })
        return { spent: error }
      }
      const kind = isRejection(error) ? 'rejected' : 'failed'
      await Promise.all([
        end({ error: recorded }),
        ports.seen.mark(flow.id, item.id, kind, { id: runId, at: now() }),
      ])
      options.onProgress?.({ kind: 'note', runId, message: `${kind}: ${title}: ${error.message}` })
      return { kind, item: item.id, error: recorded }
    }
  }

  async function finish(
    outcomes: ItemOutcome[],
    { found, alreadySeen, postponed }: ChosenItems,
    sourceError?: StewardError,
  ): Promise<FlowOutcome> {
    const endedAt = now()
    const spend = history.spend({ runId })
    const summary = summarise({
      runId,
      startedAt,
      endedAt,
      found,
      alreadySeen,
      postponed,
      outcomes,
      spend,
      ...(sourceError === undefined ? {} : { sourceError: recordError(sourceError) }),
    })
    const [error] = summary.errors
    await history.advance({
      runId,
      finished: {
        status: summary.outcome === 'failed' ? 'failed' : 'completed',
        endedAt,
        output: { outcome: summary.outcome, reason: summary.reason, items: summary.items },
        ...(summary.outcome === 'failed' && error !== undefined ? { error } : {}),
      },
    })
    const outcome = { runId, flow: loaded.flow.name, summary }
    await ports.recordState(loaded, outcome)
    return outcome
  }
}

const readItems = async (
  { runId, loaded, source, webhookBody }: FlowRun,
  ports: FlowPorts,
): Promise<ChosenItems | StewardError> => {
  const { flow, folder } = loaded
  const { history, now, seen } = ports
  const step = { index: 0, spend: NO_SPEND, isolation: null }
  try {
    const found = await readSource(source, { ...ports, folder }, webhookBody)
    const chosen = chooseItems(
      found,
      (item) => seen.look(flow.id, item).settled,
      flow.maxItems ?? LIMITS.flowItemsPerRun,
    )
    await history.advance({
      runId,
      done: { ...step, endedAt: now(), outcome: { output: { ...chosen } } },
    })
    return chosen
  } catch (thrown) {
    const error = toStewardError(thrown, 'upstream_failed', {
      service: `the ${source.type} source`,
    })
    await history.advance({
      runId,
      done: { ...step, endedAt: now(), outcome: { error: recordError(error) } },
    })
    return error
  }
}
