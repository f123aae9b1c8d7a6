import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StewardError } from '@steward/contract'
import type { DeployLedger } from '@steward/platform'
import { type Home, holdLock, type Lock } from '@steward/platform'
import type { DeployReason, PlannedDeploy } from './plan-deploy.ts'
import type { PlatformApi } from './platform-api.ts'
import type { WorkerToDeploy } from './worker-to-deploy.ts'
import type { Wrangler } from './wrangler.ts'

export interface DeployPorts {
  api: PlatformApi
  wrangler: Wrangler
  ledger: DeployLedger
  now: () => number
  onProgress: (progress: DeployProgress) => void
}

export interface DeployProgress {
  worker: string
  status: 'started' | 'deployed' | 'unchanged'
  done: number
  total: number
}

/** The result of a deploy for one worker. */
export interface DeployedWorker {
  worker: string
  status: 'deployed' | 'unchanged'
  reason: DeployReason
  version: string | null
  previousVersion: string | null
  url: string | null
}

const TAG_CHARS = 12

/**
 * Uploads the workers one by one in the plan's order. Each upload is recorded at once, so that an
 * interrupted deploy continues where it stopped when it is run again.
 */
export const deployWorkers = async (
  ports: DeployPorts,
  steps: readonly PlannedDeploy[],
): Promise<DeployedWorker[]> => {
  const done: DeployedWorker[] = []
  for (const step of steps) {
    const progress = { worker: step.worker.configuration.name, total: steps.length }
    ports.onProgress({ ...progress, status: 'started', done: done.length })
    const outcome = step.reason === 'unchanged' ? leaveAsIs(step) : await uploadWorker(ports, step)
    done.push(outcome)
    ports.onProgress({ ...progress, status: outcome.status, done: done.length })
  }
  return done
}

const leaveAsIs = ({ worker, reason, currentVersion }: PlannedDeploy): DeployedWorker => ({
  worker: worker.configuration.name,
  status: 'unchanged',
  reason,
  version: currentVersion,
  previousVersion: null,
  url: null,
})

const uploadWorker = async (
  { api, wrangler, ledger, now }: DeployPorts,
  { worker, reason, currentVersion }: PlannedDeploy,
): Promise<DeployedWorker> => {
  const { short, hash } = worker
  const { name } = worker.configuration
  const tag = hash.slice(0, TAG_CHARS)
  const { version, url } = await withIds(worker, (directory) =>
    wrangler.deploy(directory, api.account, { tag }),
  )
  const versions = { version, previousVersion: currentVersion }
  await ledger.append({
    time: new Date(now()).toISOString(),
    account: api.account,
    short,
    worker: name,
    hash,
    ...versions,
    url,
  })
  return { worker: name, status: 'deployed', reason, ...versions, url }
}

/**
 * The directory to upload, with the account's ids in its configuration. They are put into a copy,
 * because the local edge uses the same directories, and another account has other ids.
 */
const withIds = async <Value>(
  { directory, ids = {} }: WorkerToDeploy,
  use: (directory: string) => Promise<Value>,
): Promise<Value> => {
  if (Object.keys(ids).length === 0) return use(directory)
  const copy = await mkdtemp(join(tmpdir(), 'steward-upload-'))
  try {
    await cp(directory, copy, { recursive: true })
    const file = join(copy, 'wrangler.jsonc')
    let text = await readFile(file, 'utf8')
    for (const [placeholder, id] of Object.entries(ids)) {
      text = text.replaceAll(JSON.stringify(placeholder), JSON.stringify(id))
    }
    await writeFile(file, text)
    return await use(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Concurrent deploys would see each other's unfinished work, so only one may run per data home. */
export const lockDeploys = ({ databases }: Pick<Home, 'databases'>): Lock => {
  const path = join(databases, 'edge', 'deploy.lock')
  const lock = holdLock(path)
  if (lock !== undefined) return lock
  throw new StewardError('run_active', { subject: 'a deploy', reason: `it holds ${path}` })
}
