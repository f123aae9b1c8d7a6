import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readWorkersToDeploy, type WorkerToDeploy } from '@steward/edge'
import type { Io } from '../io.ts'

/** Where `steward edge build` puts worker directories unless it is told otherwise. */
export const DEFAULT_WORKERS = 'workers'

/** What is built here, for queries that only gain by it: none is no mistake. */
export const readDirectoriesIfAny = async (io: Io, dir: string): Promise<WorkerToDeploy[]> => {
  const folder = resolve(io.cwd, dir)
  return existsSync(folder) ? readWorkersToDeploy(folder) : []
}
