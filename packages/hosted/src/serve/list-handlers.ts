import { agentHandlers } from '../agents/agent-handlers.ts'
import type { Handler } from '../api/handler.ts'
import { createDeploymentHandlers } from '../deployments/deployment-handlers.ts'
import { environmentHandlers } from '../environments/environment-handlers.ts'
import { createFileHandlers } from '../files/file-handlers.ts'
import { memoryHandlers } from '../memory/memory-handlers.ts'
import { memoryStoreHandlers } from '../memory/memory-store-handlers.ts'
import { createModelHandlers } from '../models/model-handlers.ts'
import { overviewHandlers } from '../overview/overview-handlers.ts'
import { createEventHandlers } from '../sessions/event-handlers.ts'
import { createResourceHandlers } from '../sessions/resource-handlers.ts'
import { createSessionHandlers } from '../sessions/session-handlers.ts'
import type { Streams } from '../sessions/streams/streams.ts'
import { createThreadHandlers } from '../sessions/thread-handlers.ts'
import { createSkillHandlers } from '../skills/skill-handlers.ts'
import { createCredentialHandlers } from '../vaults/credential-handlers.ts'
import { vaultHandlers } from '../vaults/vault-handlers.ts'
import { createWebhookHandlers } from '../webhooks/webhook-handlers.ts'
import { createWorkBell } from '../work/work-bell.ts'
import { createWorkHandlers } from '../work/work-handlers.ts'
import type { HostedApiPorts } from './ports.ts'

/** The handler of every route. */
export const listHandlers = (ports: HostedApiPorts, streams: Streams): readonly Handler[] => {
  const bell = createWorkBell()
  return [
    ...agentHandlers,
    ...environmentHandlers,
    ...createSessionHandlers({ ...ports, bell }),
    ...createEventHandlers({ database: ports.database, streams, bell }),
    ...overviewHandlers,
    ...createThreadHandlers(streams),
    ...createResourceHandlers(ports.seal),
    ...createFileHandlers(ports),
    ...createSkillHandlers(ports.database),
    ...memoryStoreHandlers,
    ...memoryHandlers,
    ...createModelHandlers(ports.models),
    ...createDeploymentHandlers(ports),
    ...vaultHandlers,
    ...createCredentialHandlers(ports),
    ...createWebhookHandlers(ports.seal),
    ...createWorkHandlers({ ...ports, bell }),
  ]
}
