import { hostedAgentRoutes } from './agents.ts'
import { hostedCredentialRoutes } from './credentials.ts'
import { hostedDeploymentRoutes } from './deployments.ts'
import { hostedEnvironmentRoutes } from './environments.ts'
import { hostedEventRoutes } from './events.ts'
import { hostedFileRoutes } from './files.ts'
import { hostedMemoryRoutes } from './memories.ts'
import { hostedMemoryStoreRoutes } from './memory-stores.ts'
import { hostedModelRoutes } from './models.ts'
import { hostedOverviewRoutes } from './overview.ts'
import { hostedResourceRoutes } from './resources.ts'
import { hostedSessionRoutes } from './sessions.ts'
import { hostedSkillRoutes } from './skills.ts'
import { hostedThreadRoutes } from './threads.ts'
import { hostedVaultRoutes } from './vaults.ts'
import { hostedWebhookRoutes } from './webhooks.ts'
import { hostedWorkRoutes } from './work.ts'

/** Every endpoint of the hosted agent API, by operation. */
export const HOSTED_API = {
  ...hostedAgentRoutes,
  ...hostedEnvironmentRoutes,
  ...hostedSessionRoutes,
  ...hostedEventRoutes,
  ...hostedOverviewRoutes,
  ...hostedThreadRoutes,
  ...hostedResourceRoutes,
  ...hostedFileRoutes,
  ...hostedSkillRoutes,
  ...hostedMemoryStoreRoutes,
  ...hostedMemoryRoutes,
  ...hostedModelRoutes,
  ...hostedDeploymentRoutes,
  ...hostedVaultRoutes,
  ...hostedCredentialRoutes,
  ...hostedWebhookRoutes,
  ...hostedWorkRoutes,
}
export type HostedOperation = keyof typeof HOSTED_API

export * from './events.ts'
export * from './hosted-route.ts'
