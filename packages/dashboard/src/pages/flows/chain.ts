import type { CatalogEntry, CatalogView, LoopGate } from '@steward/contract'
import { nestSteps, type StepNode } from './step-tree.ts'

/** A source or destination of a drawn chain. */
export interface Link {
  kind: 'source' | 'destination'
  title: string
  /** Its location. */
  text: string
}

export interface DrawnChain {
  sources: Link[]
  /** The condition on items. */
  filter: string | undefined
  /** The pipeline of the steps, if a flow shows them. */
  pipeline: string | undefined
  steps: StepNode[]
  destinations: Link[]
  /** The batching of items before delivery. */
  digest: string | undefined
  loop: string | undefined
}

/** The chain of a pipeline or flow, from source to destination. */
export const chainOf = (entry: CatalogEntry, { pipelines }: CatalogView): DrawnChain => {
  const { source, destination, pipeline, loop, digest, filter } = entry
  const sources = entry.sources ?? (source === undefined ? [] : [source])
  const destinations = entry.destinations ?? (destination === undefined ? [] : [destination])
  const steps = entry.steps ?? pipelines.find(({ name }) => name === pipeline)?.steps ?? []
  return {
    sources: sources.map((end) => toEnd('source', end)),
    filter,
    pipeline,
    steps: nestSteps(steps),
    destinations: destinations.map((end) => toEnd('destination', end)),
    digest,
    loop: loop && describeLoop(loop),
  }
}

/** `rss`, `3 rss`, `2 rss, api`: the types of a flow's ends. */
export const summariseEnds = (ends: CatalogEntry['sources']): string => {
  const counts = Map.groupBy(ends ?? [], ({ type }) => type)
  if (counts.size === 0) return '?'
  return [...counts]
    .map(([type, { length }]) => (length === 1 ? type : `${length} ${type}`))
    .join(', ')
}

const toEnd = (
  kind: 'source' | 'destination',
  { type, where }: { type: string; where: string },
): Link => ({ kind, title: type, text: where })

const SIGNS = { gte: '≥', lte: '≤', gt: '>', lt: '<', eq: '=', ne: '≠' } as const

/** `until qualityScore ≥ 85, 5 times at most`. */
const describeLoop = ({ field, op, value, maxIterations }: LoopGate): string =>
  `until ${field} ${SIGNS[op]} ${value}, ${maxIterations} times at most`
