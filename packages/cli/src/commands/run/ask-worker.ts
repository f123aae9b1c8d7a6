import {
  type Fields,
  isErrorCode,
  isFields,
  parseJson,
  reasonOf,
  StewardError,
} from '@steward/contract'
import { explainForeign } from './explain-foreign.ts'
import type { WorkerAccess } from './worker-address.ts'

export interface WorkerAnswer {
  status: number
  body: Fields
}

/** POSTs the input to a deployed worker. What the platform answers in its place becomes an error that says why. */
export const askWorker = async (
  { worker, url, token }: WorkerAccess,
  input: Fields,
  ports: { fetch: typeof fetch; signal: AbortSignal },
): Promise<WorkerAnswer> => {
  const response = await ports
    .fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      signal: ports.signal,
      redirect: 'error',
    })
    .catch((cause: unknown) => {
      ports.signal.throwIfAborted()
      throw new StewardError('upstream_failed', { service: worker, reason: describe(cause) }, cause)
    })
  const text = await response.text()
  const parsed = parseJson(text, `the answer of ${worker}`)
  const body = parsed.ok && isFields(parsed.value) ? parsed.value : undefined
  if (response.status === 401) {
    const error = `401 unauthorized: AUTH_TOKEN is not set on ${worker}, or differs from yours`
    return { status: 401, body: { success: false, error, code: 'unauthorized' } }
  }
  if (body === undefined || (!response.ok && !explainsItself(response.status, body))) {
    const retryAfter = response.headers.get('retry-after')
    throw explainForeign({ worker, url, status: response.status, text, retryAfter })
  }
  return { status: response.status, body }
}

/** Workers of old have no codes, but the platform's own 404 may be JSON as well. */
const explainsItself = (status: number, { error, code }: Fields): boolean => {
  if (typeof error !== 'string') return false
  return status !== 404 || (typeof code === 'string' && isErrorCode(code))
}

const describe = (cause: unknown): string => {
  const inner = cause instanceof Error ? cause.cause : undefined
  return inner === undefined ? reasonOf(cause) : `${reasonOf(cause)} (${reasonOf(inner)})`
}
