export { AUTH_SECRET } from '../auth-token.ts'
export * from './check-workers.ts'
export * from './choose-workers.ts'
export * from './deploy-workers.ts'
export * from './follow-logs.ts'
export * from './list-workers.ts'
export { openPlatform, type Platform } from './open-platform.ts'
export { type DeployPlan, planDeploy } from './plan-deploy.ts'
export type { PlatformApi, StoredLogEvent } from './platform-api.ts'
export { createResources, KIND_NAMES, type NeededResource } from './resources.ts'
export * from './secrets.ts'
export * from './undeploy-workers.ts'
export * from './worker-status.ts'
export {
  DEFAULT_WORKERS,
  readBuiltWorkers,
  readWorkersToDeploy,
  type WorkerToDeploy,
} from './worker-to-deploy.ts'
