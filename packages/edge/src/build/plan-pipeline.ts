import { actionsIn, type PipelineDefinition, VERSION_VARIABLE, workerName } from '@steward/contract'
import type { EdgeAction } from './catalog.ts'
import { constantIn, GENERATED } from './entry-text.ts'
import { hashText } from './hash-inputs.ts'
import { databaseBindings, type EdgeResources } from './resources.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { baseConfiguration, serviceBindings } from './wrangler-configuration.ts'

/** `actions` are those that it calls: its version, on which stored steps depend, includes their code. */
export const planPipeline = (
  definition: PipelineDefinition,
  actions: readonly Pick<EdgeAction, 'hash'>[],
  resources: EdgeResources,
): WorkerPlan => ({
  name: definition.name,
  primitive: 'pipeline',
  tier: 'isolate',
  configuration: {
    ...baseConfiguration(workerName(definition.name)),
    // Not in the code, so that a local edge can tell the version of a changed action at once.
    vars: { [VERSION_VARIABLE]: versionOf(definition, actions) },
    services: serviceBindings([...new Set(actionsIn(definition.actions))]),
    ...databaseBindings(resources, (resources.history ?? 'flows') === 'flows' ? [] : ['ITEMS_DB']),
  },
  secrets: ['AUTH_TOKEN'],
  optionalSecrets: [],
  network: true,
  entry: `${GENERATED}import { createPipelineWorker } from '@steward/worker'

${constantIn('definition', definition)}
export default createPipelineWorker(definition)
`,
  files: {},
})

const versionOf = (
  definition: PipelineDefinition,
  actions: readonly Pick<EdgeAction, 'hash'>[],
): string => hashText(JSON.stringify([definition, ...actions.map(({ hash }) => hash)])).slice(0, 32)
