import { type ActionCatalog, createActionCatalog } from './action-catalog.ts'
import { createFlowCatalog, type FlowCatalog } from './flow-catalog.ts'
import { createPipelineCatalog, type PipelineCatalog } from './pipeline-catalog.ts'
import type { CatalogRoots } from './roots.ts'

/** Everything runnable: the user's own and the built-in. */
export interface Catalog {
  actions: ActionCatalog
  pipelines: PipelineCatalog
  flows: FlowCatalog
}

export const createCatalog = (roots: CatalogRoots): Catalog => ({
  actions: createActionCatalog(roots.actions),
  pipelines: createPipelineCatalog(roots.pipelines),
  flows: createFlowCatalog(roots.flows),
})
