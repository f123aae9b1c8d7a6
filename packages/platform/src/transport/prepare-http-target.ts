import { fail, type ObservabilityTarget, ok, type Result, StewardError } from '@steward/contract'
import type { Environment } from '../home/environment.ts'
import { expandVariables } from './expand-variables.ts'
import { parseBaseAddress } from './parse-base-address.ts'
import type { PreparedTarget } from './prepared-target.ts'

const TIMEOUT_MS = 5000

/** Spec 2, Transports: POST to `{url}/api/observability/events`, and the work state beside it. */
export const prepareHttpTarget = (
  { name, type, url, headers: configured = {} }: ObservabilityTarget,
  environment: Environment,
): Result<PreparedTarget> => {
  const subject = `the target ${name}`
  const base = parseBaseAddress(url, subject)
  if (!base.ok) return base
  const headers = new Headers()
  const secrets: Record<string, string> = {}
  for (const [header, text] of Object.entries(configured)) {
    const value = expandVariables(text, environment, `header ${header} of ${subject}`)
    if (!value.ok) return value
    const set = setHeader(headers, header, value.value.text, subject)
    if (!set.ok) return set
    Object.assign(secrets, value.value.used)
  }
  headers.set('content-type', 'application/json')
  return ok({
    name,
    type,
    method: 'POST',
    addresses: {
      events: base.value.below('api/observability/events'),
      'work state': base.value.below('api/observability/state'),
    },
    headers,
    timeoutMs: TIMEOUT_MS,
    secrets,
  })
}

/** The platform's error message contains the value, which may be a credential. */
const setHeader = (
  headers: Headers,
  name: string,
  value: string,
  subject: string,
): Result<true> => {
  try {
    headers.set(name, value)
    return ok(true)
  } catch {
    const reason = `header ${JSON.stringify(name)} has a name or a value that HTTP does not allow`
    return fail(new StewardError('not_configured', { subject, reason }))
  }
}
