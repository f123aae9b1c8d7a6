import { assistantRoutes } from './assistant.ts'
import { attentionRoutes } from './attention.ts'
import { authRoutes } from './auth.ts'
import { definitionRoutes } from './definitions.ts'
import { demoRoutes } from './demo.ts'
import { doctorRoutes } from './doctor.ts'
import { drivenRoutes } from './driven.ts'
import { flowRoutes } from './flows.ts'
import { guardRoutes } from './guards.ts'
import { healthRoutes } from './health.ts'
import { hostedRoutes } from './hosted.ts'
import { knowledgeRoutes } from './knowledge.ts'
import { learningRoutes } from './learning.ts'
import { lifeosRoutes } from './lifeos.ts'
import { liveRoutes } from './live.ts'
import { observabilityRoutes } from './observability.ts'
import { observerRoutes } from './observers.ts'
import { runRoutes } from './runs.ts'
import { securityRoutes } from './security.ts'
import { sessionRoutes } from './sessions.ts'
import { setupRoutes } from './setup.ts'
import { usageRoutes } from './usage.ts'
import { voiceRoutes } from './voice.ts'
import { wikiRoutes } from './wiki.ts'

/** Every endpoint of the daemon, by operation. */
export const API = {
  ...healthRoutes,
  ...authRoutes,
  ...doctorRoutes,
  ...demoRoutes,
  ...setupRoutes,
  ...observabilityRoutes,
  ...observerRoutes,
  ...attentionRoutes,
  ...sessionRoutes,
  ...drivenRoutes,
  ...learningRoutes,
  ...liveRoutes,
  ...hostedRoutes,
  ...knowledgeRoutes,
  ...runRoutes,
  ...flowRoutes,
  ...definitionRoutes,
  ...securityRoutes,
  ...usageRoutes,
  ...voiceRoutes,
  ...lifeosRoutes,
  ...wikiRoutes,
  ...guardRoutes,
  ...assistantRoutes,
}
export type Operation = keyof typeof API

export * from './assistant.ts'
export * from './attention.ts'
export * from './auth.ts'
export * from './definitions.ts'
export * from './demo.ts'
export * from './doctor.ts'
export * from './flows.ts'
export * from './guards.ts'
export * from './health.ts'
export * from './hosted.ts'
export * from './knowledge.ts'
export * from './learning.ts'
export * from './lifeos.ts'
export * from './live.ts'
export * from './observability.ts'
export * from './observers.ts'
export * from './route.ts'
export * from './runs.ts'
export * from './security.ts'
export * from './sessions.ts'
export * from './setup.ts'
export * from './usage.ts'
export * from './voice.ts'
export * from './wiki.ts'
