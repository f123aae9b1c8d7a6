import { deployedUrls, openDeployLedger } from './deploy-ledger.ts'
import type { Home } from './home.ts'
import { findRunningEdge } from './running-edge.ts'

/** How a worker of the user is reached. */
export interface EdgePlace {
  url: string
  token: string
}

interface EdgeContext {
  home: Home
  /** `edge` of the settings. */
  edge: { accountId?: string | undefined; workers: Readonly<Record<string, string>> }
  environment: Readonly<Record<string, string | undefined>>
}

/** A worker by its name (`exec-relay`): on the local edge while it runs, then deployed. */
export const findEdgeWorker = async (
  worker: string,
  { home, edge, environment: { AUTH_TOKEN } }: EdgeContext,
): Promise<EdgePlace[]> => {
  const running = findRunningEdge(home)
  const deploys = deployedUrls(await openDeployLedger(home).read(), edge.accountId)
  const places = [
    { url: running?.workers[worker], token: running?.token ?? AUTH_TOKEN },
    { url: edge.workers[worker] ?? deploys.get(worker), token: AUTH_TOKEN },
  ]
  return places.flatMap(({ url, token }) => (url && token ? [{ url, token }] : []))
}
