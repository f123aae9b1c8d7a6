import {
  deadLetterQueueOf,
  destinationsOf,
  type FlowEntry,
  queueBinding,
  sourcesOf,
  workerName,
} from '@steward/contract'
import { edgeCronOf, namesInHeaders, secretsOfDestination, secretsOfSource } from '@steward/engine'
import { type FlowAssets, NOTIFY_SECRET } from '@steward/worker'
import { constantIn, GENERATED } from './entry-text.ts'
import { databaseBindings, type EdgeResources, placeholderId } from './resources.ts'
import type { WorkerPlan } from './worker-plan.ts'
import {
  baseConfiguration,
  serviceBindings,
  type WranglerConfiguration,
} from './wrangler-configuration.ts'

/** The action that sends mail for a flow with an email destination. */
const MAIL_ACTION = 'A_SEND_EMAIL'
const FILES_BUCKET = 'steward-flow-files'
/** How long the platform waits for a batch to fill before it delivers. */
const BATCH_TIMEOUT_SECONDS = 5

/** The workers that a flow calls: its pipeline, and the mail action. */
export const calledByFlow = (flow: FlowEntry): string[] => [
  ...(flow.pipeline === undefined ? [] : [flow.pipeline]),
  ...(destinationsOf(flow).some(({ type }) => type === 'email') ? [MAIL_ACTION] : []),
]

export const planFlow = (
  entry: FlowEntry,
  assets: FlowAssets,
  resources: EdgeResources,
): WorkerPlan => ({
  name: entry.name,
  primitive: 'flow',
  tier: 'isolate',
  configuration: {
    ...baseConfiguration(workerName(entry.name)),
    ...servicesOf(entry),
    triggers: { crons: cronsOf(entry) },
    ...queuesOf(entry),
    ...storageOf(entry, resources),
  },
  secrets: ['AUTH_TOKEN', ...flowSecrets(entry, assets)],
  optionalSecrets: [NOTIFY_SECRET],
  network: true,
  entry: `${GENERATED}import { createFlowWorker } from '@steward/worker'

${constantIn('entry', entry)}
${constantIn('assets', assets)}
export default createFlowWorker(entry, assets)
`,
  files: {},
})

const servicesOf = (entry: FlowEntry): Pick<WranglerConfiguration, 'services'> => {
  const services = serviceBindings(calledByFlow(entry))
  return services.length === 0 ? {} : { services }
}

/**
 * A queue calls the flow itself; all other flows have a cron, also those with a webhook, which then
 * process interrupted calls. A disabled flow has none, and neither has one that runs on the user's
 * machine.
 */
const cronsOf = (flow: FlowEntry): string[] => {
  const { schedule } = flow
  if (!schedule.enabled || sourcesOf(flow)[0].type === 'queue') return []
  return schedule.runsOn === 'here' ? [] : [edgeCronOf(schedule).cron]
}

const queuesOf = (flow: FlowEntry): Pick<WranglerConfiguration, 'queues'> => {
  const { schedule } = flow
  const [source] = sourcesOf(flow)
  // A consumer also sends to its own queue: messages that must not count a retry.
  const producers = [
    ...(source.type === 'queue' && schedule.enabled ? [source.queue] : []),
    ...destinationsOf(flow).flatMap((each) => (each.type === 'queue' ? [each.queue] : [])),
  ].map((queue) => ({ binding: queueBinding(queue), queue }))
  // A disabled flow consumes nothing: its messages wait in the queue.
  const consumers =
    source.type === 'queue' && schedule.enabled
      ? [
          {
            queue: source.queue,
            max_batch_size: source.maxBatchSize,
            max_batch_timeout: BATCH_TIMEOUT_SECONDS,
            max_retries: source.maxRetries,
            dead_letter_queue: source.deadLetterQueue ?? deadLetterQueueOf(source.queue),
          },
        ]
      : []
  if (producers.length + consumers.length === 0) return {}
  return {
    queues: {
      ...(producers.length === 0 ? {} : { producers }),
      ...(consumers.length === 0 ? {} : { consumers }),
    },
  }
}

const storageOf = (
  flow: FlowEntry,
  resources: EdgeResources,
): Pick<WranglerConfiguration, 'kv_namespaces' | 'd1_databases' | 'r2_buckets'> => {
  const [source] = sourcesOf(flow)
  const sendsTo = new Set(destinationsOf(flow).map(({ type }) => type))
  const namespaces = source.type === 'queue' ? ['FLOW_STATE'] : ['SEEN_ITEMS', 'FLOW_STATE']
  const databases = [
    ...(source.type === 'feeds' && resources.history === undefined ? [] : (['ITEMS_DB'] as const)),
    ...(source.type === 'queue' ? (['FEEDS_DB'] as const) : []),
    ...(sendsTo.has('database') ? (['FLOW_DB'] as const) : []),
  ]
  return {
    kv_namespaces: namespaces.map((binding) => ({
      binding,
      id: resources.kv[binding] ?? placeholderId(binding),
    })),
    ...databaseBindings(resources, databases),
    ...(sendsTo.has('file')
      ? { r2_buckets: [{ binding: 'FLOW_FILES', bucket_name: FILES_BUCKET }] }
      : {}),
  }
}

/** The secrets named in a flow's definition: a webhook's key, `${NAME}` in headers, the proxy's token. */
const flowSecrets = (flow: FlowEntry, { feeds }: FlowAssets): string[] =>
  [
    ...new Set([
      ...sourcesOf(flow).flatMap(secretsOfSource),
      ...(feeds ?? []).flatMap(({ headers }) => namesInHeaders(headers)),
      ...destinationsOf(flow).flatMap(secretsOfDestination),
    ]),
  ].toSorted()
