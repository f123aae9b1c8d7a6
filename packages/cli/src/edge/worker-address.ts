import { type Settings, StewardError, workerName } from '@steward/contract'
import type { WorkerAccess } from '@steward/platform'

/** The address and token of a deployed worker; if unknown, the error says exactly what to set. */
export const findWorker = (
  name: string,
  edge: Pick<Settings['edge'], 'subdomain' | 'workers'>,
  token: string | undefined,
  deployedUrl?: string,
): WorkerAccess => {
  const worker = workerName(name)
  const url = edge.workers[worker] ?? addressBelow(worker, edge.subdomain) ?? deployedUrl
  const missing = [
    ...(url === undefined
      ? [
          `edge.subdomain (or edge.workers["${worker}"]) in settings.json, or deploy it from here (steward deploy)`,
        ]
      : []),
    ...(token
      ? []
      : ['AUTH_TOKEN in the environment or in .env of the data home (steward secrets generate)']),
  ]
  if (url !== undefined && token && missing.length === 0) return { worker, url, token }
  throw new StewardError('not_configured', {
    subject: `the worker ${worker}`,
    reason: `set ${missing.join(' and ')}; to run on this machine instead, add --local`,
  })
}

const addressBelow = (worker: string, subdomain: string | undefined): string | undefined =>
  subdomain === undefined ? undefined : `https://${worker}.${subdomain}.workers.dev/`
