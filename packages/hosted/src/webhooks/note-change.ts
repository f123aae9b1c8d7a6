import { HOSTED_API, type HostedRoute, type WebhookEventType } from '@steward/contract'
import { z } from 'zod'
import type { Tx } from '../database/tx.ts'
import { tellWebhooks } from './tell-webhooks.ts'

/** Changes by clients; a session is announced where it is created, also by deployments. */
const OF_ROUTE = new Map<HostedRoute, WebhookEventType>([
  [HOSTED_API.createAgent, 'agent.created'],
  [HOSTED_API.updateAgent, 'agent.updated'],
  [HOSTED_API.archiveAgent, 'agent.archived'],
  [HOSTED_API.createEnvironment, 'environment.created'],
  [HOSTED_API.updateEnvironment, 'environment.updated'],
  [HOSTED_API.archiveEnvironment, 'environment.archived'],
  [HOSTED_API.deleteEnvironment, 'environment.deleted'],
  [HOSTED_API.updateSession, 'session.updated'],
  [HOSTED_API.archiveSession, 'session.archived'],
  [HOSTED_API.deleteSession, 'session.deleted'],
  [HOSTED_API.createDeployment, 'deployment.created'],
  [HOSTED_API.updateDeployment, 'deployment.updated'],
  [HOSTED_API.pauseDeployment, 'deployment.paused'],
  [HOSTED_API.unpauseDeployment, 'deployment.unpaused'],
  [HOSTED_API.archiveDeployment, 'deployment.archived'],
  [HOSTED_API.createMemoryStore, 'memory_store.created'],
  [HOSTED_API.archiveMemoryStore, 'memory_store.archived'],
  [HOSTED_API.deleteMemoryStore, 'memory_store.deleted'],
  [HOSTED_API.createVault, 'vault.created'],
  [HOSTED_API.archiveVault, 'vault.archived'],
  [HOSTED_API.deleteVault, 'vault.deleted'],
  [HOSTED_API.createCredential, 'vault_credential.created'],
  [HOSTED_API.archiveCredential, 'vault_credential.archived'],
  [HOSTED_API.deleteCredential, 'vault_credential.deleted'],
])

const answered = z.looseObject({ id: z.string() })
const params = z.looseObject({ vault_id: z.string() })

/** Tells webhooks about a client's successful change. */
export function* noteChange(
  route: HostedRoute,
  given: unknown,
  answer: unknown,
  nowMs: number,
): Tx<void> {
  const type = OF_ROUTE.get(route)
  const { data } = answered.safeParse(answer)
  if (type === undefined || data === undefined) return
  const vault = type.startsWith('vault_credential.') ? params.safeParse(given).data : undefined
  const about = { id: data.id, ...(vault === undefined ? {} : { vault_id: vault.vault_id }) }
  yield* tellWebhooks(type, about, nowMs)
}
