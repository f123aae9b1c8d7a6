import { nearestHint, StewardError, WORKER_KINDS } from '@steward/contract'
import type { DeployLedger, ResourceKind, ResourceRecord } from '@steward/platform'
import { type ListedWorker, listWorkers } from './list-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import type { Wrangler } from './wrangler.ts'

export interface UndeployPlan {
  /** Flows first, so that no worker ever calls one that is gone. */
  workers: string[]
  /** Workers that stay and would lose one that they call. */
  broken: { worker: string; calls: string }[]
  /** Resources that Steward created and that no other worker uses. */
  resources: ResourceRecord['resource'][]
  /** Resources of ours that stay, each with a worker that uses it. */
  used: { name: string; kind: ResourceKind; worker: string }[]
}

export interface UndeployChoice {
  /** Worker names; all of Steward's workers by default. */
  workers: readonly string[] | undefined
  /** Deletes the created resources, too. */
  resources: boolean
}

/** Finds what would be deleted and what would break, without changing anything. */
export const planUndeploy = async (
  api: PlatformApi,
  ledger: DeployLedger,
  { workers: wanted, resources }: UndeployChoice,
): Promise<UndeployPlan> => {
  const listed = await listWorkers(api)
  const names = listed.map(({ worker }) => worker)
  for (const worker of wanted ?? []) {
    if (names.includes(worker)) continue
    throw new StewardError('worker_not_found', { worker: `${worker}${nearestHint(worker, names)}` })
  }
  const workers = orderForRemoval(listed)
    .map(({ worker }) => worker)
    .filter((worker) => wanted === undefined || wanted.includes(worker))
  const staying = (await api.listScripts())
    .map(({ id }) => id)
    .filter((id) => !workers.includes(id))
  const broken: UndeployPlan['broken'] = []
  const usedBy = new Map<string, string>()
  for (const worker of staying) {
    for (const binding of await api.listBindings(worker)) {
      const { service, namespace_id, id, queue_name, bucket_name } = binding
      if (service !== undefined && workers.includes(service)) {
        broken.push({ worker, calls: service })
      }
      for (const each of [namespace_id, id, queue_name, bucket_name]) {
        if (each !== undefined) usedBy.set(each, worker)
      }
    }
  }
  const own = resources ? (await ledger.read()).resources : []
  const found = own.filter(({ account }) => account === api.account).map((each) => each.resource)
  const userOf = ({ kind, name, id }: ResourceRecord['resource']): string | undefined =>
    usedBy.get(kind === 'queue' ? name.replace(/-dead$/, '') : (id ?? name))
  return {
    workers,
    broken,
    resources: found.filter((resource) => userOf(resource) === undefined),
    used: found.flatMap((resource) => {
      const worker = userOf(resource)
      return worker === undefined ? [] : [{ name: resource.name, kind: resource.kind, worker }]
    }),
  }
}

const orderForRemoval = (workers: readonly ListedWorker[]): ListedWorker[] =>
  [...WORKER_KINDS]
    .toReversed()
    .flatMap((kind) => workers.filter(({ primitive }) => primitive === kind))

interface UndeployPorts {
  api: PlatformApi
  wrangler: Wrangler
  ledger: DeployLedger
  now: () => number
  onProgress: (what: string, status: 'started' | 'deleted') => void
}

/** Deletes workers, then resources, and records each at once: the same command continues. */
export const undeployWorkers = async (
  { api, wrangler, ledger, now, onProgress }: UndeployPorts,
  { workers, resources }: Pick<UndeployPlan, 'workers' | 'resources'>,
): Promise<void> => {
  const event = () => ({ time: new Date(now()).toISOString(), account: api.account })
  for (const worker of workers) {
    onProgress(worker, 'started')
    await wrangler.deleteWorker(worker, api.account)
    await ledger.append({ ...event(), removed: { worker } })
    onProgress(worker, 'deleted')
  }
  for (const resource of resources) {
    const { kind, name } = resource
    onProgress(name, 'started')
    const id = resource.id ?? (await findId(api, resource))
    if (id !== undefined) await deleterOf(api, kind)(id)
    await ledger.append({ ...event(), removed: { resource: { kind, name } } })
    onProgress(name, 'deleted')
  }
}

/** A kill during its creation leaves a resource whose id was not recorded. */
const findId = async (
  { resources }: PlatformApi,
  { kind, name }: ResourceRecord['resource'],
): Promise<string | undefined> => {
  const lists: Record<ResourceKind, () => Promise<Map<string, string>>> = {
    kv: resources.listNamespaces,
    d1: resources.listDatabases,
    queue: resources.listQueues,
    bucket: async () => new Map([[name, name]]),
  }
  return (await lists[kind]()).get(name)
}

const deleterOf = ({ resources }: PlatformApi, kind: ResourceKind) => {
  const deleters: Record<ResourceKind, (id: string) => Promise<void>> = {
    kv: resources.deleteNamespace,
    d1: resources.deleteDatabase,
    queue: resources.deleteQueue,
    bucket: resources.deleteBucket,
  }
  return deleters[kind]
}
