import {
  nameOfWorker,
  nearestHint,
  StewardError,
  unwrap,
  type WorkerKind,
  workerKindOf,
} from '@steward/contract'
import { type Home, readEnvFile } from '@steward/platform'
import { AUTH_SECRET, generateToken } from '../auth-token.ts'
import { deployedWorkers } from './list-workers.ts'
import type { PlatformApi } from './platform-api.ts'
import { storeVariable } from './store-variable.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'
import type { Wrangler } from './wrangler.ts'

/** The secrets of a worker. Without its directory, only the rule for all workers is known. */
export interface SecretNeeds {
  worker: string
  primitive: WorkerKind | undefined
  required: string[]
  optional: string[]
  /** Whether the worker's own manifest was read. */
  complete: boolean
}

/** Spec 1, Authentication: AUTH_TOKEN everywhere, LLM_API_KEY on LLM actions, custom keys by manifest. */
export const secretNeeds = (
  worker: string,
  directories: readonly WorkerToDeploy[],
): SecretNeeds => {
  const facts = directories.find(({ configuration }) => configuration.name === worker)?.facts
  const name = nameOfWorker(worker)
  return {
    worker,
    primitive: facts?.primitive ?? (name.ok ? workerKindOf(name.value) : undefined),
    required: [...new Set([AUTH_SECRET, ...(facts?.secrets ?? [])])],
    optional: facts?.optionalSecrets ?? [],
    complete: facts !== undefined,
  }
}

/** The deployed workers that use a secret; all of them use AUTH_TOKEN. */
export const workersUsing = (
  secret: string,
  deployed: readonly string[],
  directories: readonly WorkerToDeploy[],
): string[] =>
  deployed.filter((worker) => {
    const { required, optional } = secretNeeds(worker, directories)
    return required.includes(secret) || optional.includes(secret)
  })

export interface SecretStatus extends SecretNeeds {
  set: string[]
  missing: string[]
}

/** Reads which secrets each deployed worker has and which are missing. */
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

/** Sets one secret on existing workers. Wrangler would create a worker for a mistyped name. */
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

/** The AUTH_TOKEN of the data home. A new one is stored before any worker gets it, so that it cannot be lost. */
export const prepareAuthToken = async (
  home: Pick<Home, 'envFile'>,
  { rotate }: { rotate: boolean },
): Promise<string> => {
  const variables = unwrap(await readEnvFile(home.envFile))
  const known = variables[AUTH_SECRET]
  if (known && !rotate) return known
  const token = generateToken()
  await storeVariable(home, AUTH_SECRET, token)
  return token
}
