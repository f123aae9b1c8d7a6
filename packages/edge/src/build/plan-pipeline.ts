import { actionsIn, type PipelineDefinition, workerName } from '@steward/contract'
import { constantIn, GENERATED } from './entry-text.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { baseConfiguration, serviceBindings } from './wrangler-configuration.ts'

export const planPipeline = (definition: PipelineDefinition): WorkerPlan => ({
  name: definition.name,
  primitive: 'pipeline',
  tier: 'isolate',
  configuration: {
    ...baseConfiguration(workerName(definition.name)),
    services: serviceBindings([...new Set(actionsIn(definition.actions))]),
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
