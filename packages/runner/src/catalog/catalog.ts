import { type ActionCatalog, createActionCatalog } from './action-catalog.ts'
import { checkActionIn, flowIssues, flowMistake } from './check-references.ts'
import { createFlowCatalog, type FlowCatalog } from './flow-catalog.ts'
import { createPipelineCatalog, type PipelineCatalog } from './pipeline-catalog.ts'
import type { CatalogRoots } from './roots.ts'

/** Everything runnable: the user's own and the built-in. */
export interface Catalog {
  actions: ActionCatalog
  pipelines: PipelineCatalog
  flows: FlowCatalog
}

export const createCatalog = (roots: CatalogRoots): Catalog => {
  const actions = createActionCatalog(roots.actions)
  const pipelines = createPipelineCatalog(roots.pipelines, () => checkActionIn(actions))
  const flows = createFlowCatalog(roots.flows, (flow) => flowIssues(flow, pipelines, actions))
  return {
    actions,
    pipelines,
    flows: {
      ...flows,
      load: (nameOrId) => {
        const loaded = flows.load(nameOrId)
        const mistake = flowMistake(loaded, pipelines, actions)
        if (mistake !== undefined) throw mistake
        return loaded
      },
    },
  }
}
