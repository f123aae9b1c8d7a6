import { describeIssues, issuesOf, reasonOf, StewardError } from '@steward/contract'
import { z } from 'zod'

/** The platform's REST API for the login of one account. */
export interface ApiAccess {
  /** `https://api.cloudflare.com/client/v4`, or a stand-in. */
  baseUrl: string
  token: string
  fetch: typeof fetch
  sleep: (ms: number) => Promise<unknown>
  signal: AbortSignal
}

export const DEFAULT_API_BASE = 'https://api.cloudflare.com/client/v4'

interface ApiRequest {
  method?: 'GET' | 'POST' | 'DELETE'
  body?: unknown
}

const envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.looseObject({ code: z.number().optional(), message: z.string() })).nullish(),
  result: z.unknown(),
  result_info: z.looseObject({ total_pages: z.number().optional() }).nullish(),
})
type Envelope = z.infer<typeof envelope>

const SERVICE = "the platform's API"
const ATTEMPTS = 4
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 10_000

/** One call; `undefined` on 404. Read calls are retried when the platform is busy. */
export const callApi = async <Value>(
  access: ApiAccess,
  path: string,
  shape: z.ZodType<Value>,
  request: ApiRequest = {},
): Promise<{ value: Value; pages: number } | undefined> => {
  const response = await send(access, path, request)
  if (response.status === 404) return undefined
  const body = readEnvelope(await response.text(), path)
  if (!response.ok || body === undefined || !body.success) throw refusal(response, path, body)
  const parsed = shape.safeParse(body.result)
  if (!parsed.success) {
    const reason = `${path}: unexpected answer: ${describeIssues(issuesOf(parsed.error))}`
    throw new StewardError('upstream_failed', { service: SERVICE, reason }, parsed.error)
  }
  return { value: parsed.data, pages: body.result_info?.total_pages ?? 1 }
}

const send = async (
  access: ApiAccess,
  path: string,
  { method = 'GET', body }: ApiRequest,
): Promise<Response> => {
  for (let attempt = 1; ; attempt++) {
    const response = await access
      .fetch(`${access.baseUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${access.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: access.signal,
      })
      .catch((cause: unknown) => {
        access.signal.throwIfAborted()
        const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
        throw new StewardError(
          'upstream_failed',
          { service: SERVICE, reason: `${access.baseUrl} cannot be reached: ${reasonOf(inner)}` },
          cause,
        )
      })
    const busy = response.status === 429 || response.status >= 500
    if (!busy || method !== 'GET' || attempt === ATTEMPTS) return response
    await response.body?.cancel()
    await access.sleep(delayMs(response, attempt))
  }
}

const delayMs = (response: Response, attempt: number): number => {
  const asked = Number(response.headers.get('retry-after')) * 1000
  const wanted = asked > 0 ? asked : FIRST_DELAY_MS * 2 ** (attempt - 1)
  return Math.min(wanted, LONGEST_DELAY_MS)
}

const readEnvelope = (text: string, path: string): Envelope | undefined => {
  try {
    return envelope.parse(JSON.parse(text))
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof z.ZodError) return undefined
    throw new StewardError('upstream_failed', { service: SERVICE, reason: path }, thrown)
  }
}

const refusal = ({ status }: Response, path: string, body: Envelope | undefined): StewardError => {
  const said = (body?.errors ?? []).map(({ code, message }) =>
    code === undefined ? message : `${message} (${code})`,
  )
  const reason = `${path}: HTTP ${status}${said.length === 0 ? '' : `: ${said.join('; ')}`}`
  if (status === 401 || status === 403) {
    return new StewardError('not_configured', {
      subject: 'the login to the platform',
      reason: `${reason}. Log in again with \`npx wrangler login\`, or set STEWARD_CF_TOKEN to a token with the permission`,
      status,
    })
  }
  if (status === 429) return new StewardError('rate_limited', { service: SERVICE, reason })
  return new StewardError('upstream_failed', { service: SERVICE, reason, status })
}
