import {
  describeIssues,
  isErrorCode,
  issuesOf,
  type JsonObject,
  StewardError,
} from '@steward/contract'
import type { z } from 'zod'
import { type AskPorts, askWorker, type WorkerAccess } from './ask-worker.ts'

interface EdgeRequest<T> {
  path: string
  /** POSTs it; without it, a GET. */
  input?: JsonObject
  /** The expected answer, and its name in messages. */
  shape: z.ZodType<T>
  what: string
}

/** The answer of a worker's own route, or its error. */
export const askEdge = async <T>(
  access: WorkerAccess,
  { path, input, shape, what }: EdgeRequest<T>,
  ports: AskPorts,
): Promise<T> => {
  const url = `${access.url.replace(/\/$/, '')}${path}`
  const { status, body } = await askWorker({ ...access, url }, input, ports)
  if (status >= 400) throw errorIn(body, access)
  const parsed = shape.safeParse(body)
  if (parsed.success) return parsed.data
  const reason = `its answer is not ${what}: ${describeIssues(issuesOf(parsed.error))}`
  throw new StewardError('upstream_failed', { service: access.worker, reason }, parsed.error)
}

const errorIn = ({ error, code }: JsonObject, { worker }: WorkerAccess): StewardError => {
  const message = typeof error === 'string' ? error : 'it gave no reason'
  return typeof code === 'string' && isErrorCode(code)
    ? StewardError.restore(code, message, {})
    : new StewardError('upstream_failed', { service: worker, reason: message })
}
