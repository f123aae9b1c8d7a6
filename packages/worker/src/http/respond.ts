import { type JsonObject, type Spend, StewardError } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { redactorOf } from '../redact.ts'
import { isCallOfWorker, SPEND_HEADER } from './trace.ts'

const PLAIN = { 'content-type': 'application/json', 'cache-control': 'no-store' }
/** Created once, because parsing headers costs more than the rest of a response. */
const plainHeaders = new Headers(PLAIN)

/** A JSON response; `headers` are added to the common ones. */
export const respond = (
  body: JsonObject,
  status = 200,
  headers?: Record<string, string>,
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: headers === undefined ? plainHeaders : { ...PLAIN, ...headers },
  })

/** The response to a POST, which is not cached: the fastest way. */
export const respondOutput = (body: JsonObject, headers?: Record<string, string>): Response =>
  headers === undefined ? Response.json(body) : respond(body, 200, headers)

/**
 * An error of the table as a response, with the worker's additions; secrets in messages are
 * redacted.
 */
export const respondError = (
  error: StewardError,
  env: WorkerEnv,
  more: JsonObject = {},
  headers: Record<string, string> = {},
): Response => {
  const body = error.toBody()
  return respond(
    { ...body, error: redactorOf(env).redactText(body.error).value, ...more },
    error.status,
    {
      ...headersOf(error),
      ...headers,
    },
  )
}

/** Model spending is sent in a header, so that the body stays as documented. */
export const spendHeaders = (spend: Spend): Record<string, string> | undefined =>
  spend.calls === 0 ? undefined : { [SPEND_HEADER]: JSON.stringify(spend) }

/** Other workers find it in the body as well, because they would have to read the header of every response. */
export const spendFields = (request: Request, spend: Spend): { spend?: Spend } =>
  spend.calls === 0 || !isCallOfWorker(request) ? {} : { spend }

export const notAllowed = (request: Request, allowed: string): StewardError => {
  const { pathname } = new URL(request.url)
  return new StewardError('method_not_allowed', {
    method: `${request.method} ${pathname}`,
    allowed,
  })
}

const headersOf = ({ code, details }: StewardError): Record<string, string> => {
  if (code === 'unauthorized') return { 'www-authenticate': 'Bearer' }
  if (code === 'method_not_allowed') return { allow: String(details.allowed).split(' ')[0] ?? '' }
  const { retryAfterSeconds } = details
  return typeof retryAfterSeconds === 'number' ? { 'retry-after': String(retryAfterSeconds) } : {}
}
