import { type Settings, StewardError, unwrap, workerName } from '@steward/contract'
import {
  createEnvironment,
  deployedUrls,
  findRunningEdge,
  type Home,
  openDeployLedger,
  readEnvFile,
  readSettings,
  resolveHome,
  type WorkerAccess,
} from '@steward/platform'
import type { Io } from '../io.ts'
import { findWorker } from './worker-address.ts'

export interface OpenWorker extends WorkerAccess {
  /** Whether it runs in `steward edge up` of this machine. */
  isLocal: boolean
  /** The configured account, if any. */
  account: string | undefined
}

interface Choice {
  /** Ignores a local edge. */
  deployed: boolean
}

interface Edge {
  home: Home
  settings: Settings['edge']
  token: string | undefined
  account: string | undefined
}

/**
 * Address and token of a worker: on the local edge if one runs and has it, otherwise from the
 * settings or from its last deploy.
 */
export const openWorker = async (io: Io, name: string, choice: Choice): Promise<OpenWorker> => {
  const edge = await readEdge(io)
  const worker = workerName(name)
  const local = choice.deployed ? undefined : openLocal(edge, worker)
  if (local !== undefined) return local
  const { settings, token, account } = edge
  const isConfigured = settings.workers[worker] !== undefined || settings.subdomain !== undefined
  const url = isConfigured ? undefined : (await lastDeploys(edge)).get(worker)
  return { ...findWorker(name, settings, token, url), isLocal: false, account }
}

/** A worker that has the record of runs: they share one database. */
export const openRunsWorker = async (io: Io, choice: Choice): Promise<OpenWorker> => {
  const edge = await readEdge(io)
  const { home, settings, token, account } = edge
  const running = choice.deployed ? undefined : findRunningEdge(home)
  const here = Object.keys(running?.workers ?? {})
    .filter(keepsRuns)
    .toSorted()[0]
  const local = here === undefined ? undefined : openLocal(edge, here)
  if (local !== undefined) return local
  const configured = Object.entries(settings.workers)
  const deploys = [...configured, ...(await lastDeploys(edge))]
  const [found] = deploys
    .filter(([worker]) => keepsRuns(worker))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (found === undefined || !token) {
    const reason =
      found === undefined
        ? 'no local edge runs (steward edge up), and no flow or pipeline was deployed from here (steward deploy)'
        : 'set AUTH_TOKEN in the environment or in .env of the data home (steward secrets generate)'
    throw new StewardError('not_configured', { subject: 'the edge', reason })
  }
  const [worker, url] = found
  return { worker, url, token, isLocal: false, account }
}

/** Flows sort before pipelines, which have the database only with `edge.history`. */
const keepsRuns = (worker: string): boolean => /^exec-[fp]-/.test(worker)

const openLocal = ({ home, token, account }: Edge, worker: string): OpenWorker | undefined => {
  const running = findRunningEdge(home)
  const url = running?.workers[worker]
  const known = running?.token ?? token
  if (url === undefined || !known) return undefined
  return { worker, url, token: known, isLocal: true, account }
}

const readEdge = async (io: Io): Promise<Edge> => {
  const home = resolveHome(io.env, io.homedir)
  const { edge: settings } = unwrap(await readSettings(home))
  const { AUTH_TOKEN: token } = createEnvironment(io.env, unwrap(await readEnvFile(home.envFile)))
  return { home, settings, token, account: settings.accountId ?? io.env.CLOUDFLARE_ACCOUNT_ID }
}

const lastDeploys = async ({ home, account }: Edge): Promise<Map<string, string>> =>
  deployedUrls(await openDeployLedger(home).read(), account)
