import { type FlowEntry, INBOX_WORKER, sourcesOf, workerName } from '@steward/contract'
import type { InboxHook } from '@steward/worker'
import { constantIn, GENERATED } from './entry-text.ts'
import { databaseBindings, type EdgeResources } from './resources.ts'
import type { WorkerPlan } from './worker-plan.ts'
import { baseConfiguration } from './wrangler-configuration.ts'

/** The worker that accepts webhooks for flows of this machine; undefined if there are none. */
export const planInbox = (
  flows: readonly FlowEntry[],
  resources: EdgeResources,
): WorkerPlan | undefined => {
  const hooks = flows.flatMap((flow): InboxHook[] => {
    const { id, name, schedule } = flow
    const [source] = sourcesOf(flow)
    const isHere = schedule.runsOn === 'here' && schedule.enabled
    return source.type === 'webhook' && isHere ? [{ id, name, source }] : []
  })
  if (hooks.length === 0) return undefined
  return {
    name: INBOX_WORKER,
    primitive: 'inbox',
    tier: 'isolate',
    configuration: {
      ...baseConfiguration(workerName(INBOX_WORKER)),
      ...databaseBindings(resources, ['ITEMS_DB']),
    },
    secrets: [...new Set(['AUTH_TOKEN', ...hooks.map(({ source }) => source.secret)])],
    optionalSecrets: [],
    network: false,
    serves: hooks.map(({ name }) => name),
    entry: `${GENERATED}import { createInboxWorker } from '@steward/worker'

${constantIn('hooks', hooks)}
export default createInboxWorker(hooks)
`,
    files: {},
  }
}
