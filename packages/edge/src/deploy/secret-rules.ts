import { nameOfWorker, type WorkerKind, workerKindOf } from '@steward/contract'
import type { WorkerToDeploy } from './worker-to-deploy.ts'

export const AUTH_SECRET = 'AUTH_TOKEN'

/** What a worker needs; where its directory is not at hand only the rule for all workers is known. */
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

/** Workers that a secret is for; AUTH_TOKEN is for all. */
export const workersUsing = (
  secret: string,
  deployed: readonly string[],
  directories: readonly WorkerToDeploy[],
): string[] =>
  deployed.filter((worker) => {
    const { required, optional } = secretNeeds(worker, directories)
    return required.includes(secret) || optional.includes(secret)
  })
