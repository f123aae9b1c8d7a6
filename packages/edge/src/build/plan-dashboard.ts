import { DASHBOARD_WORKER, workerName } from '@steward/contract'
import { SYNC_BINDING } from '@steward/worker'
import { GENERATED } from './entry-text.ts'
import type { EdgeResources } from './resources.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { baseConfiguration } from './wrangler-configuration.ts'

/**
 * The dashboard worker belongs to no primitive: it is built only if its namespace is configured
 * (`edge.resources.kv.DASHBOARD`), which means that a remote dashboard is wanted.
 */
export const planDashboard = ({ kv }: EdgeResources): WorkerPlan | undefined => {
  const id = kv[SYNC_BINDING]
  if (id === undefined) return undefined
  return {
    name: DASHBOARD_WORKER,
    primitive: 'dashboard',
    tier: 'isolate',
    configuration: {
      ...baseConfiguration(workerName(DASHBOARD_WORKER)),
      kv_namespaces: [{ binding: SYNC_BINDING, id }],
    },
    secrets: ['AUTH_TOKEN'],
    optionalSecrets: [],
    network: false,
    entry: `${GENERATED}import { createDashboardWorker } from '@steward/worker'

export default createDashboardWorker()
`,
    files: {},
  }
}
