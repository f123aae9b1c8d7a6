import { nameOfWorker, type WorkerKind, workerKindOf } from '@steward/contract'
import type { DeployedScript, PlatformApi } from './platform-api.ts'

export interface ListedWorker {
  worker: string
  name: string
  primitive: WorkerKind
  modified: string | null
  handlers: string[]
}

/** Steward's workers in an account, by name; other workers are ignored. */
export const listWorkers = async (api: PlatformApi): Promise<ListedWorker[]> =>
  (await api.listScripts())
    .flatMap((script) => toListed(script) ?? [])
    .toSorted((a, b) => (a.worker < b.worker ? -1 : 1))

export const deployedWorkers = async (api: PlatformApi): Promise<string[]> =>
  (await listWorkers(api)).map(({ worker }) => worker)

const toListed = (script: DeployedScript): ListedWorker | undefined => {
  if (!script.id.startsWith('exec-')) return undefined
  const name = nameOfWorker(script.id)
  const primitive = name.ok ? workerKindOf(name.value) : undefined
  if (!name.ok || primitive === undefined) return undefined
  return {
    worker: script.id,
    name: name.value,
    primitive,
    modified: script.modified_on ?? null,
    handlers: script.handlers ?? [],
  }
}
