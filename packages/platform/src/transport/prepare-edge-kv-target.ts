import {
  fail,
  type ObservabilityTarget,
  ok,
  type Result,
  StewardError,
  SYNC_KEYS,
} from '@steward/contract'
import type { Environment } from '../home/environment.ts'
import { parseBaseAddress } from './parse-base-address.ts'
import type { PreparedTarget } from './prepared-target.ts'

const TIMEOUT_MS = 8000
const DEFAULT_API = 'https://api.cloudflare.com/client/v4'
const NAMESPACE = /^.*\/accounts\/[^/]+\/storage\/kv\/namespaces\/[^/]+/

/** Spec 2, Authentication: tried in this order. */
const TOKENS = ['EDGE_API_TOKEN_WORKERS_EDIT', 'EDGE_API_TOKEN']
const ACCOUNTS = ['EDGE_ACCOUNT_ID', 'CLOUDFLARE_ACCOUNT_ID']
const NAMESPACES = ['EDGE_KV_NAMESPACE_ID']
const API_BASES = ['CLOUDFLARE_API_BASE_URL']

/**
 * Spec 2, Transports: PUT of a key in a KV namespace. `url` is the namespace's full address, or the
 * platform's API, in which case the environment names account and namespace.
 */
export const prepareEdgeKvTarget = (
  { name, type, url }: ObservabilityTarget,
  environment: Environment,
): Result<PreparedTarget> => {
  const subject = `the target ${name}`
  const token = findVariable(environment, TOKENS, subject)
  if (!token.ok) return token
  const address = namespaceAddress(url, environment, subject)
  if (!address.ok) return address
  const headers = setBearer(token.value, subject)
  if (!headers.ok) return headers
  return ok({
    name,
    type,
    method: 'PUT',
    addresses: {
      events: `${address.value}/values/${SYNC_KEYS.events}`,
      'work state': `${address.value}/values/${SYNC_KEYS.workState}`,
    },
    headers: headers.value,
    timeoutMs: TIMEOUT_MS,
    secrets: { [token.value.name]: token.value.text },
  })
}

interface Variable {
  name: string
  text: string
}

const lookUp = (environment: Environment, names: readonly string[]): Variable | undefined => {
  for (const name of names) {
    const text = Object.hasOwn(environment, name) ? environment[name]?.trim() : undefined
    if (text) return { name, text }
  }
  return undefined
}

const findVariable = (
  environment: Environment,
  names: readonly string[],
  subject: string,
): Result<Variable> => {
  const found = lookUp(environment, names)
  if (found !== undefined) return ok(found)
  const reason = `set ${names.join(' or ')} in .env in the data home, or export it`
  return fail(new StewardError('not_configured', { subject, reason }))
}

const namespaceAddress = (
  configured: string | undefined,
  environment: Environment,
  subject: string,
): Result<string> => {
  const text = configured ?? lookUp(environment, API_BASES)?.text ?? DEFAULT_API
  const base = parseBaseAddress(text, subject)
  if (!base.ok) return base
  const { url, below } = base.value
  const whole = NAMESPACE.exec(url.pathname)?.[0]
  if (whole !== undefined) return ok(`${url.origin}${whole}`)
  const account = findVariable(environment, ACCOUNTS, subject)
  if (!account.ok) return account
  const namespace = findVariable(environment, NAMESPACES, subject)
  if (!namespace.ok) return namespace
  const [accountId, namespaceId] = [account.value.text, namespace.value.text].map(
    encodeURIComponent,
  )
  return ok(below(`accounts/${accountId}/storage/kv/namespaces/${namespaceId}`))
}

/** The platform's error message would contain the token. */
const setBearer = ({ name, text }: Variable, subject: string): Result<Headers> => {
  try {
    return ok(new Headers({ authorization: `Bearer ${text}`, 'content-type': 'application/json' }))
  } catch {
    const reason = `${name} contains characters that HTTP does not allow`
    return fail(new StewardError('not_configured', { subject, reason }))
  }
}
