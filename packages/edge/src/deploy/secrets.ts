import { nearestHint, StewardError } from '@steward/contract'
import { deployedWorkers } from './list-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import { type SecretNeeds, secretNeeds } from './secret-rules.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'
import type { Wrangler } from './wrangler.ts'

export interface SecretStatus extends SecretNeeds {
  set: string[]
  missing: string[]
}

/** Which secrets each deployed worker has, and which it still lacks. */
export const readSecretStatus = async (
  api: PlatformApi,
  directories: readonly WorkerToDeploy[],
  workers: readonly string[],
): Promise<SecretStatus[]> => {
  const statuses: SecretStatus[] = []
  for (const worker of workers) {
    const needs = secretNeeds(worker, directories)
    const set = (await api.listSecrets(worker)).toSorted()
    const missing = needs.required.filter((name) => !set.includes(name))
    statuses.push({ ...needs, set, missing })
  }
  return statuses
}

export interface SetSecretPorts {
  api: PlatformApi
  wrangler: Wrangler
  onProgress: (worker: string, status: 'started' | 'set') => void
}

/** Sets one secret on workers, all of which must exist: wrangler would make a new worker of a typo. */
export const setSecret = async (
  { api, wrangler, onProgress }: SetSecretPorts,
  secret: { name: string; value: string },
  workers: readonly string[],
): Promise<void> => {
  const deployed = await deployedWorkers(api)
  for (const worker of workers) {
    if (deployed.includes(worker)) continue
    const hint = nearestHint(worker, deployed)
    throw new StewardError('worker_not_found', { worker: `${worker}${hint}` })
  }
  for (const worker of workers) {
    onProgress(worker, 'started')
    await wrangler.putSecret(worker, api.account, secret.name, secret.value)
    onProgress(worker, 'set')
  }
}
