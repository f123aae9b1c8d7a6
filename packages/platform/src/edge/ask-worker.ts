import {
  isErrorCode,
  isJsonObject,
  type JsonObject,
  parseJson,
  reasonOf,
  StewardError,
} from '@steward/contract'

export interface WorkerAccess {
  worker: string
  url: string
  token: string
}

export interface WorkerAnswer {
  status: number
  body: JsonObject
}

export interface AskPorts {
  fetch: typeof fetch
  signal: AbortSignal
  /** Runs at most once per key. */
  idempotencyKey?: string | undefined
}

/**
 * POSTs the input to a worker, or GETs without one. Answers of the platform become errors that
 * explain them.
 */
export const askWorker = async (
  { worker, url, token }: WorkerAccess,
  input: JsonObject | undefined,
  ports: AskPorts,
): Promise<WorkerAnswer> => {
  const { idempotencyKey: key } = ports
  const response = await ports
    .fetch(url, {
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(input === undefined ? {} : { method: 'POST', body: JSON.stringify(input) }),
      signal: ports.signal,
      redirect: 'error',
    })
    .catch((cause: unknown) => {
      ports.signal.throwIfAborted()
      throw new StewardError('upstream_failed', { service: worker, reason: describe(cause) }, cause)
    })
  const text = await response.text()
  const parsed = parseJson(text, `the answer of ${worker}`)
  const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined
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

/** Old workers have no codes, but the platform's own 404 may also be JSON. */
const explainsItself = (status: number, { error, code }: JsonObject): boolean => {
  if (typeof error !== 'string') return false
  return status !== 404 || (typeof code === 'string' && isErrorCode(code))
}

const describe = (cause: unknown): string => {
  const inner = cause instanceof Error ? cause.cause : undefined
  return inner === undefined ? reasonOf(cause) : `${reasonOf(cause)} (${reasonOf(inner)})`
}

interface ForeignAnswer {
  worker: string
  url: string
  status: number
  text: string
  retryAfter: string | null
}

/** The meaning of the platform's error pages, by number. */
const PLATFORM_CODES: Record<string, string> = {
  '1015': 'the platform is rate limiting the caller (1015)',
  '1027': "the account's daily request limit is used up (1027)",
  '1042': 'the platform does not let a worker call this one by its address (1042)',
  '1101':
    'the worker threw an exception before it could answer (1101): `steward workers logs` has it',
  '1102':
    'the worker used up its CPU time (1102); the free plan allows 10 ms a request, a sandbox worker or the paid plan more',
}

/** An answer that does not come from our worker: the platform or another program answered. */
const explainForeign = (answer: ForeignAnswer): StewardError => {
  const { worker, url, status, text, retryAfter } = answer
  const known = PLATFORM_CODES[/error code: (\d{4})/i.exec(text)?.[1] ?? '']
  const said = known ?? `HTTP ${status}, but not from a Steward worker: ${text.slice(0, 200)}`
  const later = retryAfter === null ? '' : `; try again in ${retryAfter} s`
  const reason = `${said}${later}`
  if (status === 404) return new StewardError('worker_not_found', { worker: `${worker} at ${url}` })
  if (status === 429) return new StewardError('rate_limited', { service: worker, reason })
  if (status === 529) return new StewardError('model_overloaded', { service: worker, status })
  return new StewardError('upstream_failed', { service: worker, reason, status })
}
