import {
  type FlowEntry,
  StewardError,
  sourcesOf,
  type TriedFlow,
  type TriedItem,
  toStewardError,
} from '@steward/contract'
import { type FlowItem, withoutRecall } from '@steward/engine'
import type { LoadedFlow } from '../catalog/index.ts'
import { newRunId } from '../history/index.ts'
import type { ItemSource } from '../sources/index.ts'
import type { FlowPorts } from './flow-run.ts'
import { readFlowSources } from './run-flow.ts'
import { pipeItem } from './work-item.ts'

/**
 * Reads the sources and runs the pipeline for the first items. Delivers nothing, and the flow
 * remembers none of it: its next run works on the same items.
 */
export const tryFlow = async (
  loaded: LoadedFlow,
  count: number,
  ports: FlowPorts,
  signal: AbortSignal | undefined,
): Promise<TriedFlow> => {
  const { flow } = loaded
  const sources = sourcesOf(flow).filter(isReadable)
  if (sources.length === 0) {
    const reason = `its source is a ${sourcesOf(flow)[0].type}, whose items can be taken only once; try its pipeline instead`
    throw new StewardError('invalid_input', { subject: flow.name, reason })
  }
  const memory = withoutRecall(ports.ledger(flow.id).memory)
  const read = await readFlowSources(
    { loaded, sources, webhook: undefined, signal },
    { memory },
    ports,
  )
  const items: TriedItem[] = []
  for (const item of read.items.slice(0, count)) {
    signal?.throwIfAborted()
    items.push(await tryItem(flow, item, ports, signal))
  }
  return {
    found: read.items.length,
    items,
    errors: read.errors.map(({ error }) => error.message),
  }
}

const tryItem = async (
  flow: FlowEntry,
  item: FlowItem,
  { now, runner }: FlowPorts,
  signal: AbortSignal | undefined,
): Promise<TriedItem> => {
  const { id, title, payload } = item
  const key = `try-${newRunId(now())}`
  const options = signal === undefined ? {} : { signal }
  const work = {
    flow,
    item,
    flowRunId: undefined,
    key,
    deliveryKey: key,
    again: false,
    now,
    options,
  }
  try {
    const { output, runs } = await pipeItem(work, runner)
    return { id, title, payload, outcome: 'ready', output, reason: null, runs }
  } catch (thrown) {
    signal?.throwIfAborted()
    const { code, message } = toStewardError(thrown)
    const outcome = code === 'item_filtered' ? 'filtered' : 'failed'
    return { id, title, payload, outcome, output: null, reason: message, runs: [] }
  }
}

const isReadable = (source: ReturnType<typeof sourcesOf>[number]): source is ItemSource =>
  source.type !== 'feeds' && source.type !== 'queue' && source.type !== 'webhook'
