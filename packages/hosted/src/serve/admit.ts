import { allowsKey, BETA_FAMILIES, type HostedRoute, StewardError } from '@steward/contract'
import { knownId } from '../api/known-id.ts'
import type { HostedDatabase } from '../database/hosted-database.ts'
import { one } from '../database/tx.ts'
import type { StoredKey } from '../keys/key.ts'
import { findSession } from '../log/stored-session.ts'

/** Refuses keys without permission for the route, and worker keys outside their environment. */
export const checkKey = async (
  database: HostedDatabase,
  key: StoredKey,
  route: HostedRoute,
  params: Readonly<Record<string, string>>,
): Promise<void> => {
  if (!allowsKey(key.scope, route)) throw scopeMissing(key, `it needs ${route.scope}`)
  if (key.scope !== 'environment' && key.scope !== 'session') return
  const { environment_id, session_id, work_id, memory_store_id } = params
  if (environment_id !== undefined && environment_id !== key.environmentId)
    throw scopeMissing(key, 'it is for another environment')
  if (memory_store_id !== undefined) await checkStore(database, key, route, memory_store_id)
  if (key.scope === 'session') {
    if (session_id !== undefined && session_id !== key.sessionId)
      throw scopeMissing(key, 'it is for another session')
    if (work_id !== undefined && work_id !== key.workId)
      throw scopeMissing(key, 'it is for another work item')
    return
  }
  if (session_id === undefined) return
  const id = knownId('session', session_id)
  const row = await database.read(() =>
    one('SELECT environment_id FROM sessions WHERE id = $1', id),
  )
  // For a missing session the route itself responds with 404.
  if (row !== undefined && row.environment_id !== key.environmentId)
    throw scopeMissing(key, 'the session is in another environment')
}

/** A worker reaches the memory stores of its session, as far as the session itself may. */
const checkStore = async (
  database: HostedDatabase,
  key: StoredKey,
  route: HostedRoute,
  storeId: string,
): Promise<void> => {
  const { sessionId } = key
  if (sessionId === null) throw scopeMissing(key, 'memories need the token of a session')
  const session = await database.read(() => findSession(sessionId))
  const access = session?.body.resources
    .map(({ resource }) => resource)
    .find((each) => each.type === 'memory_store' && each.memory_store_id === storeId)
  if (access?.type !== 'memory_store')
    throw scopeMissing(key, 'its session does not have the memory store')
  if (access.access === 'read_only' && route.scope !== 'read')
    throw scopeMissing(key, 'its session may only read the memory store')
}

/**
 * Without the beta header a gated route does not exist, as with the vendor; the message says what
 * to send.
 */
export const checkBeta = (route: HostedRoute, header: string | undefined): void => {
  const value = BETA_FAMILIES[route.family]
  // Steward's own routes are called by scripts that do not know the vendor's header.
  if (value === null || route.path.startsWith('/v1/steward/')) return
  const given = (header ?? '').split(',').map((part) => part.trim())
  // The memory of agents also exists under the value of agents.
  if (given.includes(value) || (route.family === 'memory' && given.includes(BETA_FAMILIES.agents)))
    return
  throw StewardError.restore(
    'hosted_not_found',
    `${route.method} ${route.path} is in beta: send the header \`anthropic-beta: ${value}\``,
  )
}

const scopeMissing = (key: StoredKey, reason: string): StewardError =>
  new StewardError('scope_missing', { scope: key.scope, reason })
