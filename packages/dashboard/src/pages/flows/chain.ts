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
  /** The pipeline of the actions, if a flow shows them. */
  pipeline: string | undefined
  actions: Link[]
  destination: Link | undefined
  loop: string | undefined
}

/** The chain of a pipeline or flow, from source to destination. */
export const chainOf = (entry: CatalogEntry, { actions, pipelines }: CatalogView): DrawnChain => {
  const { source, destination, pipeline, loop } = entry
  const names = entry.actions ?? pipelines.find(({ name }) => name === pipeline)?.actions ?? []
  return {
    source: source && toEnd('source', source),
    pipeline,
    actions: names.map((name) => toLink(name, actions)),
    destination: destination && toEnd('destination', destination),
    loop: loop && describeLoop(loop),
  }
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
