import { type JsonObject, type Spend, StewardError } from '@steward/contract'
import type { WorkerEnv } from '../env.ts'
import { redactorOf } from '../redact.ts'
import { SPEND_HEADER } from './trace.ts'

const PLAIN = { 'content-type': 'application/json', 'cache-control': 'no-store' }
/** Made once: taking names and values apart costs more than the rest of an answer. */
const plainHeaders = new Headers(PLAIN)

/** An answer in JSON; `headers` are what it has besides those of every answer. */
export const respond = (
  body: JsonObject,
  status = 200,
  headers?: Record<string, string>,
): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: headers === undefined ? plainHeaders : { ...PLAIN, ...headers },
  })

/** The answer to a POST, which nobody keeps: the shortest way there is. */
export const respondOutput = (body: JsonObject, headers?: Record<string, string>): Response =>
  headers === undefined ? Response.json(body) : respond(body, 200, headers)

/** An error of the table on the wire, with what the worker adds to it; no secret leaves in a message. */
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

/** What model calls came to goes beside the answer, so that the answer stays the one that is documented. */
export const spendHeaders = (spend: Spend): Record<string, string> | undefined =>
  spend.calls === 0 ? undefined : { [SPEND_HEADER]: JSON.stringify(spend) }

export const notAllowed = (request: Request, allowed: string): StewardError => {
  const { pathname } = new URL(request.url)
  return new StewardError('method_not_allowed', {
    method: `${request.method} ${pathname}`,
    allowed,
  })
}

const headersOf = ({ code, details }: StewardError): Record<string, string> => {
  if (code === 'unauthorized') return { 'www-authenticate': 'Bearer' }
  if (code !== 'method_not_allowed') return {}
  return { allow: String(details.allowed).split(' ')[0] ?? '' }
}
