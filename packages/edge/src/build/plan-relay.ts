import { RELAY_WORKER, workerName } from '@steward/contract'
import { RELAY_BINDING, RELAY_CLASS } from '@steward/worker'
import { constantIn, GENERATED } from './entry-text.ts'
import { bundlePhonePage } from './phone-page.ts'
import type { EdgeResources } from './resources.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { baseConfiguration } from './wrangler-configuration.ts'

/** The worker through which paired phones answer; undefined unless `answers.relay` is on. */
export const planRelay = async ({ relay }: EdgeResources): Promise<WorkerPlan | undefined> => {
  if (relay !== true) return undefined
  return {
    name: RELAY_WORKER,
    primitive: 'relay',
    tier: 'isolate',
    configuration: {
      ...baseConfiguration(workerName(RELAY_WORKER)),
      durable_objects: { bindings: [{ name: RELAY_BINDING, class_name: RELAY_CLASS }] },
      migrations: [{ tag: 'v1', new_sqlite_classes: [RELAY_CLASS] }],
    },
    secrets: ['AUTH_TOKEN'],
    optionalSecrets: [],
    network: false,
    entry: `${GENERATED}import { createRelayClass, createRelayWorker } from '@steward/worker'

${constantIn('page', await bundlePhonePage())}
export const ${RELAY_CLASS} = createRelayClass()
export default createRelayWorker(page)
`,
    files: {},
  }
}
