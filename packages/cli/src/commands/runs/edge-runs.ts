import {
  type RunDetail,
  type RunRecord,
  type RunStatus,
  runDetail,
  runPage,
} from '@steward/contract'
import { askEdge } from '@steward/platform'
import type { z } from 'zod'
import { openRunsWorker } from '../../edge/open-worker.ts'
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
  const ports = { fetch, signal: io.signal }
  return askEdge(worker, { path, shape, what: 'a record of runs' }, ports)
}
