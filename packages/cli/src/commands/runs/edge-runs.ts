import {
  describeIssues,
  isErrorCode,
  issuesOf,
  type JsonObject,
  type RunDetail,
  type RunRecord,
  type RunStatus,
  runDetail,
  runPage,
  StewardError,
} from '@steward/contract'
import type { z } from 'zod'
import { askWorker } from '../../edge/ask-worker.ts'
import { type OpenWorker, openRunsWorker } from '../../edge/open-worker.ts'
import type { Io } from '../../io.ts'

/** Deployed workers even if a local edge runs. */
interface EdgeChoice {
  cloud?: true
}

interface EdgeQuery extends EdgeChoice {
  limit: number
  status?: RunStatus | undefined
  name?: string | undefined
}

/** The runs of pipelines and flows on the edge, latest first. */
export const listEdgeRuns = async (
  io: Io,
  { cloud, limit, status, name }: EdgeQuery,
): Promise<RunRecord[]> => {
  const query = new URLSearchParams({
    limit: String(Math.min(limit, MOST_RUNS)),
    ...(status === undefined ? {} : { status }),
    ...(name === undefined ? {} : { name }),
  })
  return (await ask(io, cloud, `/runs?${query}`, runPage)).runs
}

export const findEdgeRun = (io: Io, id: string, { cloud }: EdgeChoice): Promise<RunDetail> =>
  ask(io, cloud, `/runs/${encodeURIComponent(id)}`, runDetail)

const MOST_RUNS = 200

const ask = async <T>(
  io: Io,
  cloud: true | undefined,
  path: string,
  shape: z.ZodType<T>,
): Promise<T> => {
  const worker = await openRunsWorker(io, { deployed: cloud === true })
  const url = `${worker.url.replace(/\/$/, '')}${path}`
  const { status, body } = await askWorker({ ...worker, url }, undefined, {
    fetch,
    signal: io.signal,
  })
  if (status >= 400) throw errorIn(body, worker)
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  const reason = `its answer is not a record of runs: ${describeIssues(issuesOf(parsed.error))}`
  throw new StewardError('upstream_failed', { service: worker.worker, reason }, parsed.error)
}

const errorIn = ({ error, code }: JsonObject, { worker }: OpenWorker): StewardError => {
  const message = typeof error === 'string' ? error : 'it gave no reason'
  return typeof code === 'string' && isErrorCode(code)
    ? StewardError.restore(code, message, {})
    : new StewardError('upstream_failed', { service: worker, reason: message })
}
