import { workerName } from '@steward/contract'
import { createEnvironment, readEnvFile, readSettings, resolveHome } from '@steward/platform'
import { openLedger } from '../deploy/open-ledger.ts'
import type { Io } from '../io.ts'
import { findWorker, type WorkerAccess } from './worker-address.ts'

export interface OpenWorker extends WorkerAccess {
  /** The account that is set, if one is. */
  account: string | undefined
}

/** Address and token of a deployed worker: from settings, or from where it was deployed to. */
export const openWorker = async (io: Io, name: string): Promise<OpenWorker> => {
  const home = resolveHome(io.env, io.homedir)
  const settings = await readSettings(home)
  if (!settings.ok) throw settings.error
  const envFile = await readEnvFile(home.envFile)
  if (!envFile.ok) throw envFile.error
  const { AUTH_TOKEN } = createEnvironment(io.env, envFile.value)
  const { edge } = settings.value
  const account = edge.accountId ?? io.env.CLOUDFLARE_ACCOUNT_ID
  const ledger = await openLedger(home).read()
  const url = await lastUrl(ledger, workerName(name), account)
  return { ...findWorker(name, edge, AUTH_TOKEN, url), account }
}

const lastUrl = async (ledger: string, worker: string, account: string | undefined) => {
  if (ledger === '') return undefined
  // Loaded only now: most calls of a worker have its address in the settings.
  const { findDeployedUrl } = await import('@steward/edge')
  return findDeployedUrl(ledger, worker, account)
}
