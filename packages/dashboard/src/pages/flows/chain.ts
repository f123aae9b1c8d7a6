import type { CatalogEntry, CatalogView, LoopGate } from '@steward/contract'

/** One box of a drawn chain. */
export interface Link {
  kind: 'source' | 'action' | 'destination'
  title: string
  /** Its purpose or location. */
  text: string
  requires: readonly string[]
  /** Whether it can be run. */
  isKnown: boolean
}

export interface DrawnChain {
  source: Link | undefined
  /** All of them, the first included. */
  sources: Link[]
  /** The pipeline of the actions, if a flow shows them. */
  pipeline: string | undefined
  actions: Link[]
  destination: Link | undefined
  destinations: Link[]
  /** How items are collected before they are delivered. */
  digest: string | undefined
  loop: string | undefined
}

/** The chain of a pipeline or flow, from source to destination. */
export const chainOf = (entry: CatalogEntry, { actions, pipelines }: CatalogView): DrawnChain => {
  const { source, destination, pipeline, loop, digest } = entry
  const sources = entry.sources ?? (source === undefined ? [] : [source])
  const destinations = entry.destinations ?? (destination === undefined ? [] : [destination])
  const names = entry.actions ?? pipelines.find(({ name }) => name === pipeline)?.actions ?? []
  return {
    source: source && toEnd('source', source),
    sources: sources.map((end) => toEnd('source', end)),
    pipeline,
    actions: names.map((name) => toLink(name, actions)),
    destination: destination && toEnd('destination', destination),
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
): Link => ({
  kind,
  title: type,
  text: where,
  requires: [],
  isKnown: true,
})

const toLink = (name: string, actions: readonly CatalogEntry[]): Link => {
  const found = actions.find((action) => action.name === name)
  return {
    kind: 'action',
    title: name,
    text: found?.description ?? (found === undefined ? 'There is no such action.' : ''),
    requires: found?.requires ?? [],
    isKnown: found !== undefined && found.error === undefined,
  }
}

const SIGNS = { gte: '≥', lte: '≤', gt: '>', lt: '<', eq: '=', ne: '≠' } as const

/** `until qualityScore ≥ 85, 5 times at most`. */
const describeLoop = ({ field, op, value, maxIterations }: LoopGate): string =>
  `until ${field} ${SIGNS[op]} ${value}, ${maxIterations} times at most`
