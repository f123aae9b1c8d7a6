import { workerName } from '@steward/contract'
import {
  createEnvironment,
  type Home,
  readEnvFile,
  readSettings,
  resolveHome,
} from '@steward/platform'
import type { Io } from '../../io.ts'
import { findWorker, type WorkerAccess } from './worker-address.ts'

export interface OpenWorker extends WorkerAccess {
  /** The configured account, if any. */
  account: string | undefined
}

/** Address and token of a deployed worker, from the settings or from its last deploy. */
export const openWorker = async (io: Io, name: string): Promise<OpenWorker> => {
  const home = resolveHome(io.env, io.homedir)
  const settings = await readSettings(home)
  if (!settings.ok) throw settings.error
  const envFile = await readEnvFile(home.envFile)
  if (!envFile.ok) throw envFile.error
  const { AUTH_TOKEN } = createEnvironment(io.env, envFile.value)
  const { edge } = settings.value
  const account = edge.accountId ?? io.env.CLOUDFLARE_ACCOUNT_ID
  const worker = workerName(name)
  const isConfigured = edge.workers[worker] !== undefined || edge.subdomain !== undefined
  const url = isConfigured ? undefined : await lastDeployedUrl(home, worker, account)
  return { ...findWorker(name, edge, AUTH_TOKEN, url), account }
}

/** Imported on demand, because most addresses are in the settings. */
const lastDeployedUrl = async (home: Home, worker: string, account: string | undefined) => {
  const { findDeployedUrl, openLedger } = await import('@steward/edge/deploy')
  return findDeployedUrl(await openLedger(home).read(), worker, account)
}
