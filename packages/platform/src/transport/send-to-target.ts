import { parseRetryAfter, reasonOf, StewardError } from '@steward/contract'
import { codeOf } from '../error-code.ts'
import type { PreparedTarget, PushKind } from './prepared-target.ts'
import type { TargetOutcome } from './target-outcome.ts'

export interface SendPorts {
  fetch: (address: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since the epoch. */
  now: () => number
  /** A signal that aborts after the delay. */
  abortAfter: (delayMs: number) => AbortSignal
}

/** One request to one target. Never throws; errors are part of the outcome. */
export const sendToTarget = async (
  target: PreparedTarget,
  kind: PushKind,
  body: string,
  ports: SendPorts,
): Promise<TargetOutcome> => {
  const { name, type, method, headers, timeoutMs } = target
  const startedAt = ports.now()
  const outcome = (rest: Omit<TargetOutcome, 'target' | 'type' | 'durationMs'>): TargetOutcome => ({
    target: name,
    type,
    durationMs: ports.now() - startedAt,
    ...rest,
  })
  const signal = ports.abortAfter(timeoutMs)
  try {
    const response = await ports.fetch(target.addresses[kind], {
      method,
      headers,
      body,
      signal,
      // Following a redirect would send the credentials to another server.
      redirect: 'manual',
    })
    const { status } = response
    await finishAnswer(response)
    if (response.ok) return outcome({ ok: true, status })
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), ports.now())
    return outcome({
      ok: false,
      status,
      error: refused(name, kind, status),
      ...(retryAfterMs === undefined
        ? {}
        : { retryAfterMs: Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS) }),
    })
  } catch (thrown) {
    return outcome({ ok: false, error: explain(thrown, name, kind, signal, timeoutMs) })
  }
}

/** A short answer is read to its end, so that the connection can be reused. */
const finishAnswer = async (response: Response): Promise<void> => {
  const bytes = Number(response.headers.get('content-length') ?? Number.NaN)
  if (bytes <= SHORT_ANSWER_BYTES) await response.arrayBuffer()
  else await response.body?.cancel()
}

const SHORT_ANSWER_BYTES = 64 * 1024

/** Only the status is reported, because the body may repeat the request. */
const refused = (target: string, kind: PushKind, status: number): StewardError => {
  const service = `the target ${target}`
  const said =
    MEANINGS[status] ?? (status >= 300 && status < 400 ? REDIRECT : 'that is not a success')
  const code = status === 429 ? 'rate_limited' : 'upstream_failed'
  return new StewardError(code, { service, reason: `${kind}: HTTP ${status}, ${said}` })
}

const REDIRECT = 'a redirect, which is not followed: set url to its target'
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'it did not understand the body',
  401: 'it refused the credentials',
  403: 'it refused the credentials',
  404: 'there is nothing at that address',
  405: 'that address does not accept pushes',
  413: 'the body is too large for it',
  429: 'it is rate limiting',
}

const explain = (
  thrown: unknown,
  target: string,
  kind: PushKind,
  signal: AbortSignal,
  limitMs: number,
): StewardError => {
  if (signal.aborted) {
    return new StewardError('timeout', { subject: `pushing ${kind} to ${target}`, limitMs })
  }
  const service = `the target ${target}`
  return new StewardError('upstream_failed', {
    service,
    reason: `${kind}: ${describeFailure(thrown)}`,
  })
}

/** The system's error code; longer messages may contain the address. */
const describeFailure = (thrown: unknown): string => {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  const code = codeOf(cause)
  if (code !== undefined) return REASONS[code] ?? code
  return reasonOf(thrown) === 'fetch failed' ? 'it cannot be reached' : 'the request failed'
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was closed (ECONNRESET)',
  ENOTFOUND: 'its host name is not known (ENOTFOUND)',
  EAI_AGAIN: 'its host name cannot be looked up now (EAI_AGAIN)',
}

const LONGEST_RETRY_AFTER_MS = 3_600_000
