import { createHash } from 'node:crypto'
import { StewardError } from '@steward/contract'
import type { DeployLedger, ResourceKind } from '@steward/platform'
import { isPlaceholderId } from '../build/resources.ts'
import type { PlatformApi } from './platform-api.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** A namespace, database, queue or bucket that workers use, and one of those workers. */
export interface NeededResource {
  kind: ResourceKind
  name: string
  /** For a namespace or database whose id is not in the worker's configuration. */
  binding: string | null
  worker: string
}

export const KIND_NAMES: Record<ResourceKind, string> = {
  kv: 'KV namespace',
  d1: 'D1 database',
  queue: 'queue',
  bucket: 'R2 bucket',
}

/** Resources by name; several workers share one. Those with an id in the configuration exist already. */
const neededBy = (workers: readonly WorkerToDeploy[]): NeededResource[] => {
  const found = new Map<string, NeededResource>()
  const add = (kind: ResourceKind, name: string, binding: string | null, worker: string) =>
    found.set(`${kind} ${name}`, { kind, name, binding, worker })
  for (const { configuration } of workers) {
    const { name, kv_namespaces, d1_databases, r2_buckets, queues } = configuration
    for (const { binding, id } of kv_namespaces) {
      if (isPlaceholderId(id)) add('kv', namespaceName(binding), binding, name)
    }
    for (const { binding, database_id: id, database_name: title } of d1_databases) {
      if (isPlaceholderId(id)) add('d1', title, binding, name)
    }
    for (const { queue } of queues.producers) add('queue', queue, null, name)
    for (const { queue, dead_letter_queue: dead } of queues.consumers) {
      add('queue', queue, null, name)
      if (dead !== undefined) add('queue', dead, null, name)
    }
    for (const { bucket_name: bucket } of r2_buckets) add('bucket', bucket, null, name)
  }
  const order: readonly ResourceKind[] = ['kv', 'd1', 'queue', 'bucket']
  return [...found.values()].toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
}

const namespaceName = (binding: string): string =>
  `steward-${binding.toLowerCase().replaceAll('_', '-')}`

export interface ResourcePlan {
  /** The workers with the ids of this account. */
  workers: WorkerToDeploy[]
  missing: { resource: NeededResource; problem: StewardError }[]
}

/** Looks for the resources in the account; existing ones are used, also if Steward did not create them. */
export const planResources = async (
  api: PlatformApi,
  workers: readonly WorkerToDeploy[],
): Promise<ResourcePlan> => {
  const needed = neededBy(workers)
  const uses = (kind: ResourceKind) => needed.some((each) => each.kind === kind)
  const none = new Map<string, string>()
  const there: Record<ResourceKind, Map<string, string>> = {
    kv: uses('kv') ? await api.resources.listNamespaces() : none,
    d1: uses('d1') ? await api.resources.listDatabases() : none,
    queue: uses('queue') ? await api.resources.listQueues() : none,
    bucket: new Map(),
  }
  for (const { kind, name } of needed) {
    if (kind === 'bucket' && (await api.hasBucket(name))) there.bucket.set(name, name)
  }
  const missing = needed.filter(({ kind, name }) => !there[kind].has(name))
  return {
    workers: workers.map((worker) => bindIds(worker, there)),
    missing: missing.map((resource) => ({ resource, problem: missingProblem(resource) })),
  }
}

const bindIds = (
  worker: WorkerToDeploy,
  there: Record<'kv' | 'd1', ReadonlyMap<string, string>>,
): WorkerToDeploy => {
  const { configuration } = worker
  const ids: Record<string, string> = {}
  const take = (placeholder: string, id: string | undefined): string => {
    if (!isPlaceholderId(placeholder) || id === undefined) return placeholder
    ids[placeholder] = id
    return id
  }
  const kv_namespaces = configuration.kv_namespaces.map((each) => ({
    ...each,
    id: take(each.id, there.kv.get(namespaceName(each.binding))),
  }))
  const d1_databases = configuration.d1_databases.map((each) => ({
    ...each,
    database_id: take(each.database_id, there.d1.get(each.database_name)),
  }))
  const hash =
    Object.keys(ids).length === 0
      ? worker.hash
      : createHash('sha256')
          .update(`${worker.hash}${JSON.stringify(ids)}`)
          .digest('hex')
  const bound = { ...configuration, kv_namespaces, d1_databases }
  return { ...worker, configuration: bound, ids, hash }
}

const missingProblem = ({ kind, name, binding, worker }: NeededResource): StewardError => {
  const commands: Record<ResourceKind, string> = {
    kv: `kv namespace create ${name}`,
    d1: `d1 create ${name}`,
    queue: `queues create ${name}`,
    bucket: `r2 bucket create ${name}`,
  }
  const what = binding === null ? name : `${name} (${binding})`
  const reason = `the ${KIND_NAMES[kind]} ${what} does not exist yet: let Steward create it (steward deploy --yes), or \`npx wrangler ${commands[kind]}\``
  return new StewardError('not_configured', { subject: worker, reason })
}

export interface CreatePorts {
  api: PlatformApi
  ledger: DeployLedger
  now: () => number
}

/**
 * Creates resources one by one. The intent is recorded before and the id after, so that the ledger
 * knows every resource of ours, also after a kill.
 */
export const createResources = async (
  { api, ledger, now }: CreatePorts,
  missing: readonly NeededResource[],
  onCreated: (resource: NeededResource) => void,
): Promise<void> => {
  const { resources, account } = api
  const create: Record<ResourceKind, (name: string) => Promise<string>> = {
    kv: resources.createNamespace,
    d1: resources.createDatabase,
    queue: resources.createQueue,
    bucket: resources.createBucket,
  }
  for (const resource of missing) {
    const { kind, name } = resource
    const record = (id: string | null): Promise<void> =>
      ledger.append({ time: new Date(now()).toISOString(), account, resource: { kind, name, id } })
    await record(null)
    await record(await create[kind](name))
    onCreated(resource)
  }
}
