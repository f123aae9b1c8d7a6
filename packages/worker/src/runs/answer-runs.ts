import { describeIssues, issuesOf, StewardError } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { notAllowed, respond } from '../http/respond.ts'
import type { WorkerPorts } from '../platform.ts'
import { openRunLedger, runQuery } from './run-ledger.ts'

/** Whether a path belongs to the record of runs: `/runs`, or `/runs/` and the id of one. */
export const isRunsPath = (path: string): boolean => path === '/runs' || path.startsWith('/runs/')

/** `GET /runs` lists the runs of all workers with this database, `GET /runs/<id>` shows one. */
export const answerRuns = async (
  request: Request,
  env: WorkerEnv,
  ports: WorkerPorts,
  path: string,
): Promise<Response> => {
  if (request.method !== 'GET') throw notAllowed(request, 'GET /runs')
  const ledger = openRunLedger(env, ports.now)
  if (ledger === undefined) {
    const reason = 'this worker has no D1 database ITEMS_DB: edge.history in settings.json binds it'
    throw new StewardError('binding_missing', { reason })
  }
  const id = decodeURIComponent(path.slice('/runs/'.length))
  if (id !== '') return respond({ ...(await ledger.find(id)) })
  const parsed = runQuery.safeParse(Object.fromEntries(new URL(request.url).searchParams))
  if (!parsed.success) {
    const reason = describeIssues(issuesOf(parsed.error))
    throw new StewardError('invalid_input', { subject: 'the query', reason })
  }
  const runs = await ledger.list(parsed.data)
  return respond({ runs, next: runs.length < parsed.data.limit ? null : (runs.at(-1)?.id ?? null) })
}
