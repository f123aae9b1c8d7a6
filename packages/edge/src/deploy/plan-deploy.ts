import type { StewardError } from '@steward/contract'
import { checkContainers } from './check-containers.ts'
import { checkNames } from './check-names.ts'
import { bucketsOf, checkResources, queuesOf } from './check-resources.ts'
import { checkTargets } from './check-targets.ts'
import { type DeployLedger, parseLedger } from './ledger.ts'
import { orderWorkers } from './order-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** Why a worker is uploaded, or that it is not. */
export type DeployReason = 'new' | 'changed' | 'changed elsewhere' | 'forced' | 'unchanged'

export interface PlannedDeploy {
  worker: WorkerToDeploy
  reason: DeployReason
  /** The version that runs now. */
  currentVersion: string | null
}

export interface DeployPlan {
  steps: PlannedDeploy[]
  /** Any of these stops the deploy before the first upload. */
  problems: StewardError[]
  /** What is odd and no reason to stop. */
  notes: string[]
}

export interface DeployChoices {
  /** Upload what did not change, too. */
  force: boolean
  hasContainerEngine: () => Promise<boolean>
}

/** Judges everything before anything is uploaded: order, names, resources, binding targets, what changed. */
export const planDeploy = async (
  api: PlatformApi,
  ledger: DeployLedger,
  chosen: readonly WorkerToDeploy[],
  { force, hasContainerEngine }: DeployChoices,
): Promise<DeployPlan> => {
  const workers = orderWorkers(chosen)
  const { latest, unreadable } = parseLedger(await ledger.read(), api.account)
  const deployed = new Set((await api.listScripts()).map(({ id }) => id))
  const usesQueues = queuesOf(workers).size > 0
  const queues = new Set(usesQueues ? await api.listQueues() : [])
  const buckets = new Set<string>()
  for (const bucket of bucketsOf(workers).keys()) {
    if (await api.hasBucket(bucket)) buckets.add(bucket)
  }
  const problems = [
    ...workers.flatMap((worker) => checkNames(worker, latest.get(worker.short)?.worker)),
    ...checkResources(workers, { queues, buckets }),
    ...checkTargets(workers, deployed),
    ...(await checkContainers(workers, hasContainerEngine)),
  ]
  const steps: PlannedDeploy[] = []
  for (const worker of workers) {
    const { name } = worker.configuration
    const last = latest.get(worker.short)
    const running = deployed.has(name) ? (await api.listDeployments(name))[0] : undefined
    const currentVersion = running?.versions[0]?.version_id ?? null
    const reason = force
      ? 'forced'
      : reasonFor(worker.hash, last, deployed.has(name), currentVersion)
    steps.push({ worker, reason, currentVersion })
  }
  const notes = unreadable.map(
    (line) => `line ${line} of the deploy ledger cannot be read and was left out`,
  )
  return { steps, problems, notes }
}

const reasonFor = (
  hash: string,
  last: { hash: string; version: string | null } | undefined,
  isDeployed: boolean,
  currentVersion: string | null,
): DeployReason => {
  if (!isDeployed) return 'new'
  if (last?.hash !== hash) return 'changed'
  // A rollback or an upload from another machine: what runs is not what stands here.
  return last.version === currentVersion ? 'unchanged' : 'changed elsewhere'
}
