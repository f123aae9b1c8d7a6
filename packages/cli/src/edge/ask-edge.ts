import {
  describeIssues,
  isErrorCode,
  issuesOf,
  type JsonObject,
  StewardError,
} from '@steward/contract'
import type { z } from 'zod'
import type { Io } from '../io.ts'
import { askWorker } from './ask-worker.ts'
import type { OpenWorker } from './open-worker.ts'

interface EdgeRequest<T> {
  path: string
  /** POSTs it; without it, a GET. */
  input?: JsonObject
  /** The expected answer, and how messages name it. */
  shape: z.ZodType<T>
  what: string
}

/** The answer of a worker's own route, or its error. */
export const askEdge = async <T>(
  io: Io,
  worker: OpenWorker,
  { path, input, shape, what }: EdgeRequest<T>,
): Promise<T> => {
  const url = `${worker.url.replace(/\/$/, '')}${path}`
  const { status, body } = await askWorker({ ...worker, url }, input, { fetch, signal: io.signal })
  if (status >= 400) throw errorIn(body, worker)
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  const reason = `its answer is not ${what}: ${describeIssues(issuesOf(parsed.error))}`
  throw new StewardError('upstream_failed', { service: worker.worker, reason }, parsed.error)
}

const errorIn = ({ error, code }: JsonObject, { worker }: OpenWorker): StewardError => {
  const message = typeof error === 'string' ? error : 'it gave no reason'
  return typeof code === 'string' && isErrorCode(code)
    ? StewardError.restore(code, message, {})
    : new StewardError('upstream_failed', { service: worker, reason: message })
}
