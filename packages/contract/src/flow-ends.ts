import type { FlowDestination } from './flow-destination.ts'
import type { FlowSource } from './flow-source.ts'

type Ends<End> = readonly [End, ...End[]]

/** The fields of a flow that say where its items come from and where they go. */
export interface FlowEnds {
  source?: FlowSource | undefined
  sources?: FlowSource[] | undefined
  destination?: FlowDestination | undefined
  destinations?: FlowDestination[] | undefined
}

/** The sources of a flow, written as `source` or `sources`. */
export const sourcesOf = (flow: Pick<FlowEnds, 'source' | 'sources'>): Ends<FlowSource> =>
  endsOf(flow.source, flow.sources, 'source')

/** The destinations of a flow, written as `destination` or `destinations`. */
export const destinationsOf = (
  flow: Pick<FlowEnds, 'destination' | 'destinations'>,
): Ends<FlowDestination> => endsOf(flow.destination, flow.destinations, 'destination')

const endsOf = <End>(one: End | undefined, many: End[] | undefined, name: string): Ends<End> => {
  const [first, ...others] = one === undefined ? (many ?? []) : [one]
  // The schema of flows requires one.
  if (first === undefined) throw new Error(`a flow without a ${name}`)
  return [first, ...others]
}

/** Fields that change how an end is used, not which one it is. */
const DETAILS = new Set(
  'headers method format subject title message kind content link maxBatchSize maxRetries deadLetterQueue reader_url proxy_url pagination maxBytes unseen since env secrets readPaths network timeoutMs tags accessKeyId secretAccessKey'.split(
    ' ',
  ),
)

/** Equal for the same place, regardless of how it is read or written. */
export const identityOfEnd = (end: FlowSource | FlowDestination): string =>
  JSON.stringify(
    Object.entries(end)
      .filter(([key, value]) => !DETAILS.has(key) && value !== undefined)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )

export interface FlowMismatch {
  path: PropertyKey[]
  message: string
}

export interface FlowParts extends FlowEnds {
  pipeline?: string | undefined
  loop?: unknown
  with?: unknown
  filter?: unknown
  digest?: unknown
}

/** The first incompatible pair of fields: which one to change, and why. */
export const flowMismatchOf = (flow: FlowParts): FlowMismatch | undefined => {
  // The schema refuses empty lists.
  if (flow.sources?.length === 0 || flow.destinations?.length === 0) return undefined
  return endMismatchOf(flow) ?? sourceMismatchOf(flow) ?? pipelineMismatchOf(flow)
}

const endMismatchOf = (flow: FlowParts): FlowMismatch | undefined => {
  for (const [one, many] of [
    ['source', 'sources'],
    ['destination', 'destinations'],
  ] as const) {
    if (flow[one] !== undefined && flow[many] !== undefined) {
      return { path: [many], message: `cannot be combined with ${one}: list all of them here` }
    }
    if (flow[one] === undefined && flow[many] === undefined) {
      return { path: [one], message: `is required (an object), or ${many} (an array)` }
    }
    const identities = (flow[many] ?? []).map(identityOfEnd)
    const repeated = identities.findIndex((each, index) => identities.indexOf(each) < index)
    if (repeated >= 0) return { path: [many, repeated], message: 'is listed twice' }
  }
  return undefined
}

/** Sources that keep their own record of new items, or that start the flow. */
const ALONE = new Set<FlowSource['type']>(['queue', 'feeds', 'webhook'])

const sourceMismatchOf = (flow: FlowParts): FlowMismatch | undefined => {
  const sources = sourcesOf(flow)
  const alone = sources.findIndex(({ type }) => ALONE.has(type))
  if (alone >= 0 && sources.length > 1) {
    const message = `a ${sources[alone]?.type} source must be the only one of its flow`
    return { path: ['sources', alone], message }
  }
  const [source] = sources
  const destinations = destinationsOf(flow)
  const pathOf = (index: number): PropertyKey[] =>
    flow.destination === undefined ? ['destinations', index] : ['destination']
  if (source.type === 'feeds') {
    const wrong = destinations.findIndex(({ type }, index) => type !== 'queue' || index > 0)
    if (wrong >= 0) {
      const message = 'a feeds source only enqueues: use {"type": "queue", "queue": "feed-items"}'
      return { path: pathOf(wrong), message }
    }
    const extra = (['pipeline', 'with', 'filter', 'digest'] as const).find(
      (key) => flow[key] !== undefined,
    )
    if (extra !== undefined) {
      const message = 'a feeds source only enqueues: give it to the flow that takes the queue'
      return { path: [extra], message }
    }
  }
  if (source.type !== 'queue') return undefined
  const own = destinations.findIndex((each) => each.type === 'queue' && each.queue === source.queue)
  if (own >= 0) {
    return { path: pathOf(own), message: `it would feed itself: ${source.queue} is its source too` }
  }
  if (flow.digest === undefined) return undefined
  const message = 'a queue source cannot collect: read the feeds or files in this flow itself'
  return { path: ['digest'], message }
}

const pipelineMismatchOf = (flow: FlowParts): FlowMismatch | undefined => {
  if (flow.pipeline !== undefined) return undefined
  if (destinationsOf(flow).some(({ type }) => type !== 'queue')) {
    const message = 'is missing: only a flow with a queue destination does without'
    return { path: ['pipeline'], message }
  }
  if (flow.loop !== undefined) return { path: ['loop'], message: 'needs a pipeline to repeat' }
  return flow.with === undefined
    ? undefined
    : { path: ['with'], message: 'needs a pipeline to give these fields to' }
}
