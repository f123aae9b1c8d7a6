import { type StewardError, WORKER_KINDS } from '@steward/contract'
import { type DeployLedger, latestDeploys } from '@steward/platform'
import { checkContainers, checkNames, checkTargets } from './check-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import { planResources, type ResourcePlan } from './resources.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

/** Why a worker is uploaded or skipped. */
export type DeployReason = 'new' | 'changed' | 'changed elsewhere' | 'forced' | 'unchanged'

export interface PlannedDeploy {
  worker: WorkerToDeploy
  reason: DeployReason
  /** The running version. */
  currentVersion: string | null
}

export interface DeployPlan {
  steps: PlannedDeploy[]
  /** Any of these stops the deploy before the first upload. */
  problems: StewardError[]
  /** Resources to create before the first upload; without consent, each is a problem. */
  missing: ResourcePlan['missing']
  /** Findings that do not stop the deploy. */
  notes: string[]
}

export interface DeployChoices {
  /** Uploads unchanged workers too. */
  force: boolean
  hasContainerEngine: () => Promise<boolean>
}

/** Checks everything before the first upload: order, names, resources, binding targets, changes. */
export const planDeploy = async (
  api: PlatformApi,
  ledger: DeployLedger,
  chosen: readonly WorkerToDeploy[],
  { force, hasContainerEngine }: DeployChoices,
): Promise<DeployPlan> => {
  const { workers, missing } = await planResources(api, orderWorkers(chosen))
  const content = await ledger.read()
  const latest = latestDeploys(content, api.account)
  const deployed = new Set((await api.listScripts()).map(({ id }) => id))
  const problems = [
    ...workers.flatMap((worker) => checkNames(worker, latest.get(worker.short)?.worker)),
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
  const notes = content.unreadable.map(
    (line) => `line ${line} of the deploy ledger cannot be read and was skipped`,
  )
  return { steps, problems, missing, notes }
}

const reasonFor = (
  hash: string,
  last: { hash: string; version: string | null } | undefined,
  isDeployed: boolean,
  currentVersion: string | null,
): DeployReason => {
  if (!isDeployed) return 'new'
  if (last?.hash !== hash) return 'changed'
  // After a rollback or an upload from another machine, the running version is not the recorded one.
  return last.version === currentVersion ? 'unchanged' : 'changed elsewhere'
}

/** Spec 1, Deployment rules: actions first, then the pipelines that bind to them, then the flows. */
export const orderWorkers = (workers: readonly WorkerToDeploy[]): WorkerToDeploy[] =>
  WORKER_KINDS.flatMap((kind) =>
    workers
      .filter(({ facts }) => facts.primitive === kind)
      .toSorted((a, b) => (a.short < b.short ? -1 : 1)),
  )
