import type { Catalog } from '@steward/runner'

export type Kind = 'actions' | 'pipelines' | 'flows'

/** Names alone: nothing is loaded, so that completion stays quick. */
export const listNames = (catalog: Catalog, kinds: readonly Kind[]): string[] =>
  kinds.flatMap((kind) =>
    kind === 'flows'
      ? catalog.flows.all().map(({ flow }) => flow.name)
      : [...catalog[kind].entries().keys()],
  )
