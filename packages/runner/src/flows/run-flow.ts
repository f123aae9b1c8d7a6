import { LIMITS, type StewardError, toStewardError } from '@steward/contract'
import {
  type ChosenItems,
  chooseItems,
  type ItemOutcome,
  NO_SPEND,
  recordError,
  runItems,
  summarise,
} from '@steward/engine'
import { fetchUntil } from '@steward/platform'
import { z } from 'zod'
import { readSource } from '../sources/index.ts'
import { endFlowRun } from './end-flow-run.ts'
import type { FlowPorts, FlowRun } from './flow-run.ts'
import type { FlowOutcome } from './flow-runner.ts'
import { runFlowItem } from './run-flow-item.ts'

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

/** Source, pipeline, destination: step 1 of the run is the source, each item is a later step. */
export const runFlow = async (run: FlowRun, ports: FlowPorts): Promise<FlowOutcome> => {
  const { runId } = run
  const startedAt = ports.now()
  const chosen = run.earlier?.chosen ?? (await readItems(run, ports))
  const parts =
    'code' in chosen
      ? { found: 0, alreadySeen: 0, postponed: 0, outcomes: [], sourceError: recordError(chosen) }
      : { ...chosen, outcomes: await runChosen(run, chosen, ports) }
  const endedAt = ports.now()
  const spend = ports.history.spend({ runId })
  return endFlowRun(
    run,
    summarise({ ...parts, runId, startedAt, endedAt, spend }),
    undefined,
    ports,
  )
}

const runChosen = async (
  run: FlowRun,
  { items, found, alreadySeen }: ChosenItems,
  ports: FlowPorts,
): Promise<ItemOutcome[]> => {
  const { runId, loaded, options } = run
  const message = `${loaded.flow.name}: ${found} items found, ${alreadySeen} seen before, ${items.length} to do`
  options.onProgress?.({ kind: 'note', runId, message })
  let exhausted: StewardError | undefined
  const results = await runItems(
    items,
    loaded.flow.concurrency ?? LIMITS.flowConcurrency,
    async (item, index): Promise<ItemOutcome> => {
      if (run.earlier?.finished.has(index)) return { kind: 'delivered' }
      if (exhausted !== undefined) return { kind: 'postponed', error: recordError(exhausted) }
      const outcome = await runFlowItem(run, item, index, ports)
      if (!('spent' in outcome)) return outcome
      exhausted = outcome.spent
      return { kind: 'postponed', error: recordError(outcome.spent) }
    },
  )
  // An item's failure is an outcome; a throw is an internal error (storage, a stop), so the run
  // stays resumable.
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
}

const readItems = async (
  { runId, loaded, source, webhookBody, options }: FlowRun,
  ports: FlowPorts,
): Promise<ChosenItems | StewardError> => {
  const { flow, folder } = loaded
  const { history, now, seen } = ports
  const step = { index: 0, spend: NO_SPEND, isolation: null }
  try {
    const fetch = fetchUntil(ports.fetch, options.signal)
    const found = await readSource(source, { ...ports, fetch, folder }, webhookBody)
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
    options.signal?.throwIfAborted()
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
